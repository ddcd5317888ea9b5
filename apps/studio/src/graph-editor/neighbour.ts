import type { DraftRuleset } from '@engine/authoring'
import type { Point } from './layout.ts'
import { shapeOf } from './shape.ts'
import type { Visit } from './trace.ts'

type Visits = ReadonlyMap<string, Visit> | undefined

/**
 * The target of an arrow key: right follows the edge (in a trace the taken one), left goes back, up and down select the
 * nearest step.
 */
export function neighbour(
  key: string,
  { steps, startStepId }: DraftRuleset,
  current: string,
  visits: Visits,
  places: ReadonlyMap<string, Point>,
): string | undefined {
  const portsOf = (id: string) => {
    const step = steps.find((one) => one.id === id)
    return step === undefined ? [] : shapeOf(step).ports
  }
  switch (key) {
    case 'ArrowRight': {
      const ports = portsOf(current).filter(({ target }) => target !== undefined)
      const taken = visits?.get(current)?.port
      return (ports.find(({ id }) => id === taken) ?? ports[0])?.target
    }
    case 'ArrowLeft': {
      const before = steps.filter(({ id }) => portsOf(id).some(({ target }) => target === current)).map(({ id }) => id)
      return before.find((id) => visits?.has(id)) ?? before[0]
    }
    case 'ArrowDown':
      return nearest(places, current, 1)
    case 'ArrowUp':
      return nearest(places, current, -1)
    case 'Home':
      return startStepId
    default:
      return undefined
  }
}

/** Weights horizontal distance threefold, so that up and down stay in a column if possible. */
function nearest(places: ReadonlyMap<string, Point>, current: string, way: 1 | -1): string | undefined {
  const here = places.get(current)
  if (here === undefined) return undefined
  const far = ({ x, y }: Point) => Math.abs(x - here.x) * 3 + Math.abs(y - here.y)
  const [found] = Array.from(places)
    .filter(([id, { y }]) => id !== current && (y - here.y) * way > 0)
    .sort(([, left], [, right]) => far(left) - far(right))
  return found?.[0]
}
