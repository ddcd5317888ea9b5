declare module 'react' {
  /** Allows custom properties in `style`. */
  interface CSSProperties {
    [name: `--${string}`]: string | number | undefined
  }
}

/** A result code or the name of an error, with its colour mark. */
export function CodeTag({
  name,
  colour,
  isError = false,
}: {
  readonly name: string
  /** A custom property, such as `--c1`; by default the colour of codes after the sixth. */
  readonly colour?: string | undefined
  readonly isError?: boolean
}) {
  const mark = isError ? 'var(--bad)' : colour === undefined ? undefined : `var(${colour})`
  return (
    <span
      className="code-tag"
      data-error={isError ? '' : undefined}
      style={mark === undefined ? undefined : { '--c': mark }}
    >
      {name}
    </span>
  )
}
