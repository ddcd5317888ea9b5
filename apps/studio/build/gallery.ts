import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'

/** Serve the gallery on a free port of this machine, for a test. */
export async function serveGallery(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = await createServer({
    configFile: fileURLToPath(new URL('../vite.config.ts', import.meta.url)),
    cacheDir: fileURLToPath(new URL('../../../node_modules/.cache/gallery', import.meta.url)),
    logLevel: 'warn',
    server: { port: 0, host: '127.0.0.1', hmr: false, watch: null },
  })
  await server.listen()
  const [url = ''] = server.resolvedUrls?.local ?? []
  return { url: `${url}gallery.html`, close: () => server.close() }
}
