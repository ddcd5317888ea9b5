import type { Segment } from '@engine/expression'

/** Whether a path leads to one place. */
export function isPlain(path: readonly Segment[]): boolean {
  return (
    path.length > 0 &&
    path.every((segment) => segment.kind === 'name' || (segment.kind === 'index' && segment.index >= 0))
  )
}
