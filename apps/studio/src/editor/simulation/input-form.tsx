import type { InputField } from '@engine/authoring'
import { useTexts } from '../../texts/texts.tsx'
import { short } from '../../ui/json-text.ts'
import { type Input, isPlain, typedValue, valueAt, withValue } from './input-values.ts'

/** The control for one input field; it edits the same value as the JSON editor. */
export function InputControl({
  field: { name, type, enum: values },
  input,
  change,
  ...props
}: {
  readonly field: InputField
  readonly input: Input
  readonly change: (input: Input) => void
  readonly className?: string
  readonly onKeyDown?: (event: React.KeyboardEvent) => void
}) {
  const { simulator, cellForms } = useTexts()
  const path = name.split('.')
  const value = valueAt(input, path)
  const text = value === undefined ? '' : typeof value === 'string' ? value : short(value, 200)
  const options =
    values?.map((one) => (typeof one === 'string' ? one : short(one))) ??
    (type === 'boolean' ? ['true', 'false'] : undefined)
  const put = (typed: string) => change(withValue(input, path, typedValue(typed, type)))
  const nameOf = (option: string) => (type !== 'boolean' ? option : option === 'true' ? cellForms.yes : cellForms.no)
  return options === undefined ? (
    <input
      className="input"
      {...props}
      inputMode={['number', 'integer', 'decimal'].includes(type) ? 'decimal' : 'text'}
      value={text}
      onChange={({ target }) => put(target.value)}
    />
  ) : (
    <select className="input" {...props} value={text} onChange={({ target }) => put(target.value)}>
      <option value="">{simulator.absent}</option>
      {options.map((one) => (
        <option key={one} value={one}>
          {nameOf(one)}
        </option>
      ))}
    </select>
  )
}

/** The input of a ruleset as a form; it edits the same value as the JSON editor. */
export function InputForm({
  fields,
  input,
  isBroken,
  change,
}: {
  readonly fields: readonly InputField[]
  readonly input: Input
  /** True if the draft has errors, so that its fields may be incomplete. */
  readonly isBroken: boolean
  readonly change: (input: Input) => void
}) {
  const { simulator } = useTexts()
  const plain = fields.filter(isPlain)
  const others = fields.filter((field) => !isPlain(field)).map(({ name }) => name)
  if (plain.length === 0) return <p className="muted">{isBroken ? simulator.brokenFields : simulator.noFields}</p>
  return (
    <>
      {plain.map((field) => (
        <label key={field.name} className="field">
          <span className="label">
            {field.name} <span className="muted">{simulator.types[field.type] ?? field.type}</span>
          </span>
          <InputControl field={field} input={input} change={change} />
        </label>
      ))}
      {others.length > 0 && <p className="muted">{simulator.asJson(others.join(', '))}</p>}
    </>
  )
}
