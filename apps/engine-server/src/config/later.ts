/** An option of specification 8 that this build does not have yet. It is known by name and refused, never ignored. */
export interface LaterOption {
  readonly flag: `--${string}`
  readonly env: `ENGINE_${string}`
  /** The feature that the option belongs to. */
  readonly part: string
}

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

/** Why such an option is refused. */
export function refusal({ part }: LaterOption): string {
  return `this build does not have ${part} yet: leave it out`
}
