import type { components } from '../api/schema.ts'

type Schemas = components['schemas']
export type DraftItem = Schemas['DraftItem']
export type Environment = Schemas['Environment']
export type Release = Schemas['Release']
export type Live = DraftItem['live'][number]

/** A running release with the candidate's share of requests; undefined without a canary. */
export interface Rolling {
  readonly release: Release
  readonly environment: string | null
  readonly percent: number | undefined
}

/** The relation of a content to its left neighbour: the draft, or the content of the previous environment. */
export type Drift =
  | { readonly kind: 'same' }
  | { readonly kind: 'behind'; readonly saves: number }
  | { readonly kind: 'different' }
  /** One of the two contents is missing. */
  | { readonly kind: 'none' }

/** The transition from the content left of a cell to the cell. */
export type Step = 'same' | 'rolling' | 'waiting' | 'publish' | 'release' | 'none'

/** One ruleset in one environment. */
export interface BoardCell {
  readonly environment: Environment
  readonly live: Live | undefined
  readonly drift: Drift
  /** A waiting release that would deploy the ruleset here. */
  readonly waiting: Release | undefined
  readonly rolling: Rolling | undefined
  readonly step: Step
}

const WAITS: ReadonlySet<Release['status']> = new Set(['pending_approval', 'approved'])

/** Whether a release waits for approvals or for its start. */
export const isWaiting = ({ status }: Release): boolean => WAITS.has(status)

/** The cells of a ruleset in the order of the environments. */
export function cellsOf(
  draft: DraftItem,
  environments: readonly Environment[],
  releases: readonly Release[],
  rolling: readonly Rolling[],
): readonly BoardCell[] {
  const liveIn = (name: string | undefined) => draft.live.find(({ environment }) => environment === name)
  const brings = (release: Release, name: string) =>
    release.environments.includes(name) && release.rulesets.some((one) => one.name === draft.name)
  return environments.map((environment, index) => {
    const { name } = environment
    const live = liveIn(name)
    const before = index === 0 ? undefined : liveIn(environments[index - 1]?.name)
    const drift = driftOf(live, index === 0 ? { seq: draft.seq } : before)
    const waiting = releases.find((release) => isWaiting(release) && brings(release, name))
    const running = rolling.find((one) => one.environment === name && brings(one.release, name))
    const hasSource = index === 0 || before !== undefined
    const step = running
      ? 'rolling'
      : waiting
        ? 'waiting'
        : !hasSource
          ? 'none'
          : drift.kind === 'same'
            ? 'same'
            : environment.requires_release
              ? 'release'
              : 'publish'
    return { environment, live, drift, waiting, rolling: running, step }
  })
}

function driftOf(
  live: Live | undefined,
  source: { readonly seq: number | null; readonly digest?: string } | undefined,
): Drift {
  if (live === undefined || source === undefined) return { kind: 'none' }
  if (source.digest === live.digest || (source.seq !== null && source.seq === live.seq)) return { kind: 'same' }
  if (source.seq === null || live.seq === null || source.seq < live.seq) return { kind: 'different' }
  return { kind: 'behind', saves: source.seq - live.seq }
}
