import babel from '@rolldown/plugin-babel'
import react, { reactCompilerPreset } from '@vitejs/plugin-react'
import type { InlineConfig } from 'vite'

/** The build of the pages; the server serves the result below `/w`. */
export const config: InlineConfig = {
  root: import.meta.dirname,
  base: '/w/',
  configFile: false,
  css: { transformer: 'lightningcss' },
  plugins: [react(), babel({ presets: [reactCompilerPreset()] })],
  build: {
    target: 'es2024',
    // An inlined file would be rejected by the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    manifest: true,
  },
}
