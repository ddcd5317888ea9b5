import { isObject, type Value } from '@engine/expression'
import { answerValue } from '../api/answer-value.ts'
import type { components } from '../api/schema.ts'
import { plain } from '../ui/json-text.ts'
import { useReviewTexts } from './review-texts.ts'

/** Maximum number of displayed fields. */
const MAX_FIELDS = 12
/** Maximum number of displayed characters of a value. */
const MAX_LENGTH = 60

type Input = { readonly [name: string]: unknown }
type Witness = components['schemas']['Witness']

/** The leaves of an input by path. Linear in the size of the input. */
function fieldsOf(input: Input, within = ''): readonly (readonly [path: string, value: Value])[] {
  return Object.entries(input).flatMap(([name, value]) => {
    const path = within === '' ? name : `${within}.${name}`
    const known = answerValue(value)
    return isObject(known) && Object.keys(known).length > 0 ? fieldsOf(known, path) : [[path, known] as const]
  })
}

/** Whether a condition names a field, which is then shown first. */
const isNamed = (condition: string, path: string): boolean => condition.includes(path)

/** The fields of an input, those in the condition first, and the answers to external calls. */
export function ExampleInput({
  input,
  stubs = [],
  condition = '',
}: {
  readonly input: Input
  readonly stubs?: Witness['stubs'] | undefined
  readonly condition?: string
}) {
  const texts = useReviewTexts()
  const answers = stubs.flatMap(({ service, method, answer }) => {
    const known = answerValue(answer ?? null)
    return fieldsOf({ [`${service}.${method}`]: isObject(known) ? known['payload'] : texts.callFails })
  })
  const named = fieldsOf(input).toSorted(
    ([left], [right]) => Number(isNamed(condition, right)) - Number(isNamed(condition, left)),
  )
  const fields = [...named, ...answers]
  if (fields.length === 0) return <p className="muted">{texts.noFields}</p>
  return (
    <dl className="example-fields">
      {fields.slice(0, MAX_FIELDS).map(([path, value]) => (
        <div key={path} data-named={isNamed(condition, path) ? '' : undefined}>
          <dt>{path}</dt>
          <dd>{plain(value, MAX_LENGTH)}</dd>
        </div>
      ))}
      {fields.length > MAX_FIELDS && <div className="muted">{texts.moreFields(fields.length - MAX_FIELDS)}</div>}
    </dl>
  )
}
