/** A select box for a few names. */
export function Choice({
  label,
  value,
  options,
  choose,
}: {
  readonly label: string
  readonly value: string
  readonly options: readonly string[]
  readonly choose: (value: string) => void
}) {
  return (
    <label className="row">
      <span className="label">{label}</span>
      <select className="input" value={value} onChange={({ target }) => choose(target.value)}>
        {options.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  )
}
