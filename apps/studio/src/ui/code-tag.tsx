declare module 'react' {
  /** Custom properties may be set by `style`. */
  interface CSSProperties {
    [name: `--${string}`]: string | number | undefined
  }
}

/** A result code with its name and the mark of its colour; of an error the name of the error. */
export function CodeTag({
  name,
  colour,
  isError = false,
}: {
  readonly name: string
  /** A custom property, such as `--c1`; by default that of codes beyond the sixth. */
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
