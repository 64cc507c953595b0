import defaultTheme from 'vitepress/theme';
import { mermaidDiagram } from './mermaid-diagram.js';
import './style.css';

export default {
  extends: defaultTheme,
  enhanceApp({ app }) {
    app.component('MermaidDiagram', mermaidDiagram);
  },
};
