// A diagram that is drawn in the browser, in the colours of the page.
import program from '@mermaid-js/tiny/dist/mermaid.tiny.js?url';
import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref, useId, watch } from 'vue';

let loading;

/** Loads Mermaid, once, and only on pages with diagrams: it is larger than the rest of the site. */
function loadMermaid() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = program;
    script.onload = () => resolve(globalThis.mermaid);
    script.onerror = () => reject(new Error('the program that draws diagrams did not load'));
    document.head.append(script);
  });
  return loading;
}

export const mermaidDiagram = defineComponent({
  props: { source: { type: String, required: true } },
  setup(properties) {
    const { isDark } = useData();
    const source = decodeURIComponent(properties.source);
    const id = `diagram-${useId()}`;
    const svg = ref('');
    const draw = async () => {
      const mermaid = await loadMermaid();
      const theme = isDark.value ? 'dark' : 'neutral';
      mermaid.initialize({ startOnLoad: false, theme, fontFamily: 'inherit' });
      ({ svg: svg.value } = await mermaid.render(id, source));
    };
    onMounted(draw);
    watch(isDark, draw);
    // The text of the diagram, until it is drawn and where no script runs.
    return () =>
      svg.value === ''
        ? h('pre', { class: 'diagram' }, source)
        : h('figure', { class: 'diagram', innerHTML: svg.value });
  },
});
