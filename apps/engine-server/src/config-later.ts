/** An option of specification 8 that this build does not have yet. It is known by name and refused, never ignored. */
export interface LaterOption {
  readonly flag: `--${string}`
  readonly env: `ENGINE_${string}`
  /** What the option belongs to. */
  readonly part: string
  /** The one value that says what this build does anyway, and is therefore accepted. */
  readonly holds?: string
}

const row = (flag: `--${string}`, part: string, holds?: string, env?: `ENGINE_${string}`): LaterOption => ({
  flag,
  env: env ?? `ENGINE_${flag.slice(2).toUpperCase().replaceAll('-', '_')}`,
  part,
  ...(holds === undefined ? {} : { holds }),
})

/** Specification 8 without the rows of `OPTIONS`, and options of the design that come with later parts. */
export const LATER: readonly LaterOption[] = [
  row('--platform-connect-token', 'the platform', undefined, 'ENGINE_CONNECT_TOKEN'),
  row('--platform-registration-secret', 'the platform'),
]

/** Why a value of such an option is refused; undefined when it says what this build does anyway. */
export function refusal(option: LaterOption, value: string | undefined): string | undefined {
  const { holds } = option
  if (holds === undefined) return `this build does not have ${option.part} yet: leave it out`
  if (value === holds) return undefined
  return `this build does not have ${option.part} yet: leave it out or give \`${holds}\``
}
