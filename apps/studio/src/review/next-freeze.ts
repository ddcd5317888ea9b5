import { useGet } from '../api/data.ts'
import { useIds } from '../frame/route-scope.ts'

/** A freeze window of an environment, with its ISO times. */
interface FrozenSpan {
  readonly environment: string
  readonly from: string
  readonly to: string
}

const AHEAD_MS = 14 * 24 * 3600 * 1000

/** The open freeze window of environments, or the next one within `AHEAD_MS`. */
export function useNextFreeze(environments: readonly string[]) {
  const from = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000)
  const query = { from: from.toISOString(), to: new Date(from.getTime() + AHEAD_MS).toISOString() }
  const found = useGet('/api/v1/orgs/{oid}/projects/{pid}/freeze-windows', { path: useIds(), query }).data?.items
  return nextFreeze(found ?? [], environments, Date.now())
}

/** The window of these environments that is open, or the one that begins first; undefined if all have ended. */
export function nextFreeze<Span extends FrozenSpan>(
  windows: readonly Span[],
  environments: readonly string[],
  now: number,
): (Span & { readonly isOpen: boolean }) | undefined {
  const [next] = windows
    .filter(({ environment, to }) => environments.includes(environment) && Date.parse(to) > now)
    .toSorted((one, other) => Date.parse(one.from) - Date.parse(other.from))
  return next && { ...next, isOpen: Date.parse(next.from) <= now }
}
