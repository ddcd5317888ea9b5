import type { LaterOption } from '@engine/process'

const row = (flag: `--${string}`, part: string, env?: `ENGINE_${string}`): LaterOption => ({
  flag,
  env: env ?? `ENGINE_${flag.slice(2).toUpperCase().replaceAll('-', '_')}`,
  part,
})

/** Specification 8 without the rows of `OPTIONS`, and options of the design that come with later parts. */
export const LATER: readonly LaterOption[] = [
  row('--platform-connect-token', 'the platform', 'ENGINE_CONNECT_TOKEN'),
  row('--platform-registration-secret', 'the platform'),
]
