import { layoutOf, layoutKey } from '../apps/studio/src/graph-editor/positions.ts'
import { layered } from '../apps/studio/src/graph-editor/layers.ts'
import { reduceCrossings } from '../apps/studio/src/graph-editor/crossings.ts'
import { settleHeights } from '../apps/studio/src/graph-editor/heights.ts'
import { shapeOf, WIDTH } from '../apps/studio/src/graph-editor/shape.ts'
import { graph } from './studio-rulesets.ts'
const draft = graph(1000) as any
const cpu = (n: string, f: () => any) => {
  const a = process.cpuUsage()
  const r = f()
  const b = process.cpuUsage(a)
  console.log(n, (b.user + b.system) / 1000)
  return r
}
cpu('key', () => layoutKey(draft))
cpu('key', () => layoutKey(draft))
const l = cpu('layered', () =>
  layered(
    draft.steps.map((s: any) => ({ id: s.id, width: WIDTH, ...shapeOf(s) })),
    draft.startStepId,
  ),
)
console.log('cells', l.layers.flat().length, 'layers', l.layers.length, 'chains', l.chains.size)
cpu('cross', () => reduceCrossings(l))
cpu('settle', () => settleHeights(l))
const { width, height, crossings } = cpu('all', () => layoutOf(draft))
console.log(width, height, crossings)
