import { stringifyJson, type Value } from '@engine/expression'
import { useState } from 'react'
import { answerValue } from '../api/answer-value.ts'
import { ConditionText } from '../conditions/words.tsx'
import { useNumbers } from '../texts/texts.tsx'
import { CodeTag } from '../ui/code-tag.tsx'
import { Icon } from '../ui/icon.tsx'
import { plain, short } from '../ui/json-text.ts'
import { CHANGE } from './change-keys.ts'
import { ExampleInput } from './example-input.tsx'
import { RunExample } from './run-example.tsx'
import type { Region, Side } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'
import { codeOf, isError } from '../releases/results.ts'
import { resultOf } from './transitions.ts'

/** Length from which a condition is truncated in the list. */
const LONG_CONDITION = 240

/** Maximum number of listed regions. */
const MAX_SHOWN = 40

interface RegionListProps {
  readonly ruleset: string
  readonly regions: readonly Region[]
  readonly colours: ReadonlyMap<string, string>
  readonly unitOf: (output: string) => string
}

/** Regions of inputs with changed decisions, those with the most recorded decisions first; each opens its example. */
export function RegionList({ ruleset, regions, colours, unitOf }: RegionListProps) {
  const sorted = regions.toSorted((one, other) => (other.recorded ?? 0) - (one.recorded ?? 0))
  const keyOf = (region: Region) => region.condition + stringifyJson(answerValue(region.witness.input))
  const [first] = sorted
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(first === undefined ? [] : [keyOf(first)]))
  const toggle = (key: string) => {
    const next = new Set(open)
    if (!next.delete(key)) next.add(key)
    setOpen(next)
  }
  return (
    <ul className="regions">
      {sorted.slice(0, MAX_SHOWN).map((region) => (
        <RegionItem
          key={keyOf(region)}
          {...{ ruleset, region, colours, unitOf }}
          isOpen={open.has(keyOf(region))}
          toggle={() => toggle(keyOf(region))}
        />
      ))}
    </ul>
  )
}

interface RegionItemProps extends Omit<RegionListProps, 'regions'> {
  readonly region: Region
  readonly isOpen: boolean
  readonly toggle: () => void
}

function RegionItem({ ruleset, region, colours, unitOf, isOpen, toggle }: RegionItemProps) {
  const texts = useReviewTexts()
  const { number } = useNumbers()
  const { condition, complete, before, after, witness, recorded } = region
  const isLong = condition.length > LONG_CONDITION
  return (
    <li className="region" data-open={isOpen ? '' : undefined}>
      <div className="region-row">
        <button type="button" className={`region-words ${CHANGE}`} aria-expanded={isOpen} onClick={toggle}>
          <Icon name={isOpen ? 'expand' : 'right'} size={14} />
          <span>
            {condition === 'true' ? (
              <b>{texts.always}</b>
            ) : (
              <span className="region-condition" data-long={isLong ? '' : undefined}>
                <ConditionText text={condition} />
              </span>
            )}
            {complete !== true && <small className="muted"> {texts.perhapsOthers}</small>}
          </span>
        </button>
        <span className="before-after tnum">
          <Sides before={before} after={after} colours={colours} unitOf={unitOf} />
        </span>
        <span
          className="region-count tnum"
          data-none={recorded === 0 ? '' : undefined}
          title={recorded === undefined ? undefined : texts.recordedThere(recorded)}
        >
          {recorded === undefined ? '' : number(recorded)}
        </span>
        <RunExample ruleset={ruleset} witness={witness} />
      </div>
      {isOpen && (
        <div className="witness">
          <div className="witness-box">
            <h3>{texts.example}</h3>
            <ExampleInput input={witness.input} stubs={witness.stubs} condition={condition} />
          </div>
          <SideBox title={texts.sides.live} side={before} other={after} colours={colours} unitOf={unitOf} />
          <SideBox
            title={texts.sides.candidate}
            side={after}
            other={before}
            colours={colours}
            unitOf={unitOf}
            isCandidate
          />
          {isLong && (
            <details className="whole-condition">
              <summary>{texts.wholeCondition}</summary>
              <ConditionText text={condition} />
            </details>
          )}
        </div>
      )}
    </li>
  )
}

interface SidesProps extends Pick<RegionListProps, 'colours' | 'unitOf'> {
  readonly before: Side
  readonly after: Side
}

/** The change in one line: the codes, or the first differing output or message. */
function Sides({ before, after, colours, unitOf }: SidesProps) {
  const texts = useReviewTexts()
  const [from, to] = [resultOf(before), resultOf(after)]
  if (from !== to)
    return (
      <>
        <Result result={from} colours={colours} /> <Icon name="onward" size={13} />{' '}
        <Result result={to} colours={colours} />
      </>
    )
  const [changed] = rowsOf(before, after, texts.message).filter(({ isChanged }) => isChanged)
  if (changed === undefined) return <Result result={to} colours={colours} />
  const { name, was, is } = changed
  const unit = unitOf(name)
  return (
    <>
      <span className="muted">{name}</span> <s>{plain(was, 24)}</s> <Icon name="onward" size={13} />{' '}
      <b>
        {plain(is, 24)}
        {unit !== '' && ` ${unit}`}
      </b>
    </>
  )
}

function SideBox({
  title,
  side,
  other,
  colours,
  unitOf,
  isCandidate = false,
}: Pick<RegionListProps, 'colours' | 'unitOf'> & {
  readonly title: string
  readonly side: Side
  readonly other: Side
  readonly isCandidate?: boolean
}) {
  const texts = useReviewTexts()
  return (
    <div className="witness-box" data-candidate={isCandidate ? '' : undefined}>
      <h3>{title}</h3>
      <Result result={resultOf(side)} colours={colours} />
      <dl>
        {rowsOf(side, other, texts.message).map(({ name, was, isChanged }) => {
          const unit = unitOf(name)
          return (
            <div key={name}>
              <dt>{name}</dt>
              <dd data-changed={isChanged ? '' : undefined}>
                {plain(was, 80)}
                {unit !== '' && was !== undefined && ` ${unit}`}
              </dd>
            </div>
          )
        })}
      </dl>
    </div>
  )
}

function Result({ result, colours }: { readonly result: string; readonly colours: ReadonlyMap<string, string> }) {
  const texts = useReviewTexts()
  return <CodeTag name={nameOf(result, texts.error)} colour={colours.get(result)} isError={isError(result)} />
}

/** The outputs and the message of one side, compared with the other. */
function rowsOf(side: Side, other: Side, message: string) {
  const names = [...new Set([...Object.keys(side.output ?? {}), ...Object.keys(other.output ?? {})])]
  return [
    ...names.map((name) => ({ name, was: outputOf(side, name), is: outputOf(other, name) })),
    { name: message, was: spoken(side.message), is: spoken(other.message) },
  ]
    .filter(({ was, is }) => was !== undefined || is !== undefined)
    .map((row) => ({ ...row, isChanged: short(row.was, 200) !== short(row.is, 200) }))
}

/** An output of a result; undefined if the result has no output with this name. */
const outputOf = ({ output }: Side, name: string): Value | undefined =>
  output === undefined || !Object.hasOwn(output, name) ? undefined : answerValue(output[name])

/** Undefined for an empty message. */
const spoken = (message: string | undefined) => (message === '' ? undefined : message)

/** The displayed name of a result. */
export const nameOf = (result: string, error: (code: string) => string): string =>
  isError(result) ? error(codeOf(result)) : result
