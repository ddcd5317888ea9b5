import react from '@vitejs/plugin-react'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

/** The platform that `npm run dev` has started; by default that of `npm start`. */
const PLATFORM = process.env['STUDIO_PLATFORM_URL'] ?? 'http://localhost:3001'

/** All packages of the product have one version. */
const VERSION = /"version": "([^"]+)"/.exec(readFileSync(new URL('package.json', import.meta.url), 'utf8'))?.[1] ?? ''

const PATTERNS = fileURLToPath(new URL('./src/language/patterns.ts', import.meta.url))

/**
 * Workers have the library of regular expressions when they need it, and the page, which evaluates none, never: `patterns.ts` stands in
 * its place, and loads it.
 */
const latePatterns: Plugin = {
  name: 'late-patterns',
  enforce: 'pre',
  resolveId: (id, importer) => (id === 're2js' && importer !== PATTERNS ? PATTERNS : undefined),
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Addresses are relative to the base that the platform writes into the page.
  base: './',
  define: { STUDIO_VERSION: JSON.stringify(VERSION) },
  plugins: [react(), latePatterns],
  worker: { format: 'es', plugins: () => [latePatterns] },
  server: { proxy: { '/api': { target: PLATFORM, headers: { origin: PLATFORM } } } },
  build: {
    outDir: 'dist/site',
    emptyOutDir: true,
    target: 'es2023',
    manifest: true,
    modulePreload: { polyfill: false },
    // The policy of the page allows files of its own server only.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
})
