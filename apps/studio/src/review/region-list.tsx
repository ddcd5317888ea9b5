import { stringifyJson, type Value } from '@engine/expression'
import { answerValue } from '../api/answer-value.ts'
import { ConditionText } from '../conditions/words.tsx'
import { useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { CodeTag } from '../ui/code-tag.tsx'
import { Icon } from '../ui/icon.tsx'
import { short } from '../ui/json-text.ts'
import { Go } from '../ui/link.tsx'
import { CHANGE } from './change-keys.ts'
import { ExampleInput } from './example-input.tsx'
import type { Region, Side } from './release-parts.ts'
import { codeOf, isError, resultOf } from './transitions.ts'
import { useReviewTexts } from './review-texts.ts'

/** Characters of an input in an address: longer ones get truncated in transit. */
const MAX_LINKED = 1500
/** Regions of one transition. */
const MAX_SHOWN = 20

interface RegionListProps {
  readonly ruleset: string
  readonly regions: readonly Region[]
  readonly colours: ReadonlyMap<string, string>
}

/** Inputs that decide differently: their condition, both results, and an executed example. */
export function RegionList({ ruleset, regions, colours }: RegionListProps) {
  return (
    <ul className="regions">
      {regions.slice(0, MAX_SHOWN).map((region) => (
        <RegionItem
          key={region.condition + stringifyJson(answerValue(region.witness.input))}
          {...{ ruleset, region, colours }}
        />
      ))}
    </ul>
  )
}

function RegionItem({
  ruleset,
  region: { condition, before, after, witness },
  colours,
}: Omit<RegionListProps, 'regions'> & { readonly region: Region }) {
  const texts = useReviewTexts()
  const { oid, pid } = useIds()
  const linked = stringifyJson(answerValue(witness.input))
  return (
    <li className={`region ${CHANGE}`} tabIndex={-1}>
      <p className="region-condition">
        {condition === 'true' ? (
          <b>{texts.always}</b>
        ) : (
          <>
            <span className="muted">{texts.when}</span> <ConditionText text={condition} />
          </>
        )}
      </p>
      <div className="region-parts">
        <div>
          <h3>{texts.example}</h3>
          <ExampleInput input={witness.input} condition={condition} />
          {linked.length <= MAX_LINKED && (
            <Go to={paths.ruleset(oid, pid, ruleset)} search={{ run: linked }} className="small-link">
              <Icon name="play" size={12} />
              {texts.openExample}
            </Go>
          )}
        </div>
        <Results before={before} after={after} colours={colours} />
      </div>
    </li>
  )
}

interface ResultsProps {
  readonly before: Side
  readonly after: Side
  readonly colours: ReadonlyMap<string, string>
}

/** The results of both versions; of equal codes, what differs. */
function Results({ before, after, colours }: ResultsProps) {
  const texts = useReviewTexts()
  const names = [...new Set([...Object.keys(before.output ?? {}), ...Object.keys(after.output ?? {})])]
  const rows = [
    { name: texts.message, was: spoken(before.message), is: spoken(after.message) },
    ...names.map((name) => ({
      name: texts.output(name),
      was: outputOf(before, name),
      is: outputOf(after, name),
    })),
  ].filter(({ was, is }) => short(was, 200) !== short(is, 200))
  return (
    <table className="region-results">
      <thead>
        <tr>
          <td />
          <th scope="col">{texts.before}</th>
          <th scope="col">{texts.after}</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <td />
          {[before, after].map((side, index) => (
            <td key={index}>
              <CodeTag
                name={nameOf(resultOf(side), texts.error)}
                colour={colours.get(resultOf(side))}
                isError={isError(resultOf(side))}
              />
            </td>
          ))}
        </tr>
        {rows.map(({ name, was, is }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <code>{short(was, 80)}</code>
            </td>
            <td className="changed">
              <code>{short(is, 80)}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** An output of a result; undefined: it has none of this name. */
const outputOf = ({ output }: Side, name: string): Value | undefined =>
  output === undefined || !Object.hasOwn(output, name) ? undefined : answerValue(output[name])

/** Nothing where a result has no message. */
const spoken = (message: string | undefined) => (message === '' ? undefined : message)

/** A result as a reader sees it. */
export const nameOf = (result: string, error: (code: string) => string): string =>
  isError(result) ? error(codeOf(result)) : result
