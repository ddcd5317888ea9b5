import { quote } from '@engine/expression'
import { failures } from '../../errors.ts'
import { DEEPEST } from './repository.ts'

/** The name of a sub-rule, and the sub-rules that it uses. */
export interface Uses {
  readonly name: string
  readonly uses: readonly string[]
}

/**
 * Throws 400 if a sub-rule would use itself indirectly, or exceed the maximum depth. Linear in the sub-rules and their
 * uses, since each depth is computed once.
 */
export function refuseNesting(others: readonly Uses[], changed: Uses): void {
  const graph = new Map([...others, changed].map(({ name, uses }) => [name, uses]))
  const depths = new Map<string, number>()
  const depthOf = (name: string, way: ReadonlySet<string>): number => {
    const known = depths.get(name)
    if (known !== undefined) return known
    if (way.has(name)) throw failures.invalid('/graph', `leads back to the sub-rule ${quote(name)}`, 'cycle')
    // Stored sub-rules have no cycles and respect the maximum depth: only the changed one can lead to a path of this
    // length.
    if (way.size >= DEEPEST) throw tooDeep()
    const inner = new Set(way).add(name)
    const uses = (graph.get(name) ?? []).filter((used) => graph.has(used))
    const depth = 1 + Math.max(0, ...uses.map((used) => depthOf(used, inner)))
    depths.set(name, depth)
    return depth
  }
  depthOf(changed.name, new Set())
  for (const name of graph.keys()) if (depthOf(name, new Set()) > DEEPEST) throw tooDeep()
}

const tooDeep = () => failures.invalid('/graph', `is nested deeper than ${DEEPEST} sub-rules`, 'too-deep')
