import type { InputField } from '@engine/authoring'
import { isObject, numberOfText, type Value } from '@engine/expression'
import { useTexts } from '../../texts/texts.tsx'
import { short } from '../../ui/json-text.ts'

type Input = { readonly [key: string]: Value }

/** The value at a dotted path. */
function valueAt(input: Value | undefined, path: readonly string[]): Value | undefined {
  const [key, ...rest] = path
  if (key === undefined) return input
  return input !== undefined && isObject(input) && Object.hasOwn(input, key) ? valueAt(input[key], rest) : undefined
}

/** The input with a value at a dotted path; undefined removes it. */
function withValue(input: Input, [key = '', ...rest]: readonly string[], value: Value | undefined): Input {
  if (rest.length === 0) {
    const { [key]: _old, ...others } = input
    return value === undefined ? others : { ...others, [key]: value }
  }
  const inner = input[key]
  return { ...input, [key]: withValue(inner !== undefined && isObject(inner) ? inner : {}, rest, value) }
}

const JSON_NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/** Typed text as a value of the field's type; undefined: none. */
function typedValue(text: string, type: string): Value | undefined {
  if (text === '') return undefined
  if (type === 'boolean') return text === 'true'
  if (type === 'decimal') return JSON_NUMBER.test(text) ? (numberOfText(text) ?? text) : text
  const number = Number(text)
  return (type === 'number' || type === 'integer') && Number.isFinite(number) ? number : text
}

/** Fields of a contract whose values fit into one control; the others are edited as JSON. */
const isPlain = ({ type }: InputField) =>
  ['string', 'number', 'integer', 'decimal', 'boolean', 'date', 'datetime', 'any'].includes(type)

/** The input of a ruleset as a form: the same value as its JSON. */
export function InputForm({
  fields,
  input,
  change,
}: {
  readonly fields: readonly InputField[]
  readonly input: Input
  readonly change: (input: Input) => void
}) {
  const { simulator } = useTexts()
  const plain = fields.filter(isPlain)
  if (plain.length === 0) return <p className="muted">{simulator.noFields}</p>
  return plain.map((field) => {
    const { name, type, enum: values } = field
    const path = name.split('.')
    const value = valueAt(input, path)
    const text = value === undefined ? '' : typeof value === 'string' ? value : short(value, 200)
    const options =
      values?.map((one) => (typeof one === 'string' ? one : short(one))) ??
      (type === 'boolean' ? ['true', 'false'] : undefined)
    const put = (typed: string) => change(withValue(input, path, typedValue(typed, type)))
    return (
      <label key={name} className="field">
        <span className="label">
          {name} <span className="muted">{type}</span>
        </span>
        {options === undefined ? (
          <input
            className="input"
            inputMode={['number', 'integer', 'decimal'].includes(type) ? 'decimal' : 'text'}
            value={text}
            onChange={({ target }) => put(target.value)}
          />
        ) : (
          <select className="input" value={text} onChange={({ target }) => put(target.value)}>
            <option value="">{simulator.absent}</option>
            {options.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
      </label>
    )
  })
}
