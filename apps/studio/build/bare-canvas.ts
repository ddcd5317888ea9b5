import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'

/** A page with 1,000 nodes of the canvas library's own, and an edge for each way out of the steps that they are compared with. */
const PAGE = `
  import { ReactFlow } from '@xyflow/react'
  import '@xyflow/react/dist/style.css'
  import { createElement } from 'react'
  import { createRoot } from 'react-dom/client'

  const COUNT = 1000
  const nodes = Array.from({ length: COUNT }, (_, index) => ({
    id: String(index),
    position: { x: (index % 10) * 356, y: Math.floor(index / 10) * 150 },
    data: { label: 'Check ' + index },
  }))
  const edges = nodes.flatMap(({ id }, index) =>
    [index * 2 + 1, index * 2 + 2, COUNT - 10 + (index % 10)]
      .filter((target) => target < COUNT)
      .map((target, way) => ({ id: id + ':' + way, source: id, target: String(target) })),
  )
  createRoot(document.getElementById('root')).render(
    createElement(ReactFlow, { defaultNodes: nodes, defaultEdges: edges, panOnScroll: true, minZoom: 0.02, onlyRenderVisibleElements: true }),
  )
`
const NAME = 'virtual:bare-canvas'

const page: Plugin = {
  name: 'bare-canvas',
  resolveId: (id) => (id === NAME ? fileURLToPath(new URL('../src/bare-canvas.js', import.meta.url)) : undefined),
  load: (id) => (id.endsWith('/bare-canvas.js') ? PAGE : undefined),
}

/** The canvas library alone as a page, for comparison with the canvas of the studio. */
export async function bareCanvas(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    root: fileURLToPath(new URL('..', import.meta.url)),
    plugins: [page],
    build: { write: false, rolldownOptions: { input: NAME } },
  })
  const files = [built].flat().flatMap((one) => ('output' in one ? one.output : []))
  const scripts = files.map((file) => (file.type === 'chunk' ? file.code.replaceAll('</script', '<\\/script') : ''))
  const styles = files.map((file) => (file.type === 'asset' ? String(file.source) : ''))
  return `<!doctype html><style>${styles.join('')} #root { width: 815px; height: 770px }</style>
    <div id="root"></div><script type="module">${scripts.join('')}</script>`
}
