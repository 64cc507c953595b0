// The box of the search, with what the reader waits for: its program and its index are loaded when it
// is opened first.
import index from '@localSearchIndex';
import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref, shallowRef, Teleport } from 'vue';

const loading = 'Loading the search index …';
const failed = 'The search index did not load. Reload the page to try again.';

export default defineComponent({
  inheritAttrs: false,
  setup(_properties, { attrs }) {
    const { localeIndex } = useData();
    const box = shallowRef();
    const state = ref(loading);
    onMounted(async () => {
      try {
        // The box shows what is typed meanwhile, and finds it once the index is there.
        const theme = await import(
          'vitepress/dist/client/theme-default/components/VPLocalSearchBox.vue'
        );
        box.value = theme.default;
        await index[localeIndex.value]();
        state.value = '';
      } catch {
        state.value = failed;
      }
    });
    return () => [
      box.value && h(box.value, attrs),
      state.value !== '' &&
        h(
          Teleport,
          // The box is in the document one moment after this component.
          {
            to: box.value ? '.VPLocalSearchBox .shell' : 'body',
            defer: true,
            key: String(!box.value),
          },
          h('p', { class: 'search-state', role: 'status' }, state.value),
        ),
    ];
  },
});
