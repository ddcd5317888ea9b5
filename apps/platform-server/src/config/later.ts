import type { LaterOption } from '@engine/process'

const row = (flag: `--${string}`, part: string): LaterOption => ({
  flag,
  env: `ENGINE_PLATFORM_${flag.slice(2).toUpperCase().replaceAll('-', '_')}`,
  part,
})

/** Options of the contract (docs/platform/api.md) whose parts are not built yet. */
export const LATER: readonly LaterOption[] = [row('--max-streams-per-caller', 'streams of events')]
