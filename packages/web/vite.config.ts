import { join } from 'node:path'
import babel from '@rolldown/plugin-babel'
import react, { reactCompilerPreset } from '@vitejs/plugin-react'
import type { InlineConfig, Plugin } from 'vite'

const SOURCE = join(import.meta.dirname, 'src')
const EARLY = 'early'

/**
 * Puts `early.ts` into the page as a script that runs as soon as it is here. Vite makes one script of those that the
 * page itself names, which would wait for all of them.
 */
const earlyScript: Plugin = {
  name: 'early-script',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle }) => {
      const early = Object.values(bundle ?? {}).find(one => one.type === 'chunk' && one.isEntry && one.name === EARLY)
      const attrs = { type: 'module', async: true, crossorigin: true, src: `/w/${early?.fileName}` }
      return [{ tag: 'script', attrs, injectTo: 'head-prepend' }]
    },
  },
}

/** The build of the pages; the server serves the result below `/w`. */
export const config: InlineConfig = {
  root: import.meta.dirname,
  base: '/w/',
  configFile: false,
  css: { transformer: 'lightningcss' },
  plugins: [react(), babel({ presets: [reactCompilerPreset()] }), earlyScript],
  build: {
    target: 'es2024',
    // An inlined file would be rejected by the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    manifest: true,
    rolldownOptions: {
      input: { index: join(import.meta.dirname, 'index.html'), [EARLY]: join(SOURCE, 'early.ts') },
      output: {
        // Each file costs browser and server milliseconds of processor time: what is needed together is one.
        codeSplitting: {
          groups: [
            {
              name: 'base',
              test: /src\/api\/(begun|key|skeleton-path)\.ts|preload-helper|rolldown.runtime/,
              priority: 2,
            },
            { name: 'app', test: /src\/(main|parts\/scroller)\.tsx|\/useMutation\./, priority: 1 },
            { name: 'trace', test: /src\/trace\/trace-(view|screen)\.tsx/ },
          ],
        },
      },
    },
  },
}
