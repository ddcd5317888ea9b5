import type { DraftRuleset } from '@engine/authoring'
import { useMemo, useState } from 'react'
import { stepChanges } from '../save-diff/changes.ts'
import { comparedGraphs, graphIn } from '../save-diff/graphs.ts'
import { FlowSides } from '../save-diff/flow-sides.tsx'
import '../styles/editor.css'
import '../styles/compare.css'
import { useTexts } from '../texts/texts.tsx'
import { pretty } from '../ui/json-text.ts'
import { TextDiff } from '../ui/text-diff.tsx'
import { useReviewTexts } from './review-texts.ts'

interface ComparedProps {
  readonly view: 'flow' | 'text'
  readonly before: DraftRuleset
  readonly after: DraftRuleset
  /** Names of the sides. */
  readonly names: readonly [before: string, after: string]
}

/** Two versions of a ruleset side by side as flows, or a line diff of their texts. */
export function ComparedViews({ view, before, after, names }: ComparedProps) {
  const texts = useReviewTexts()
  if (view === 'flow') return <Flows before={before} after={after} names={names} />
  return (
    <>
      <TextDiff
        name={texts.lines}
        before={textOf(before)}
        after={textOf(after)}
        words={{ added: texts.added, removed: texts.removed, same: texts.sameText, tooMany: texts.tooDifferent }}
      />
      <p className="muted">{texts.positions}</p>
    </>
  )
}

type SidesProps = Omit<ComparedProps, 'view'>

/** A draft as one side; the sequence numbers of saves are not displayed. */
const sideOf = (name: string, draft: DraftRuleset) => ({ seq: 0, name, draft })

function Flows({ before: whole, after: changed, names }: SidesProps) {
  const { history: texts } = useTexts()
  const [within, open] = useState<string>()
  const [selected, select] = useState<string>()
  const graphs = useMemo(() => comparedGraphs(whole, changed), [whole, changed])
  const before = useMemo(() => sideOf(names[0], graphIn(whole, within)), [whole, within, names])
  const after = useMemo(() => sideOf(names[1], graphIn(changed, within)), [changed, within, names])
  const changes = useMemo(() => stepChanges(before.draft, after.draft), [before, after])
  const [first] = changes.keys()
  return (
    <>
      {graphs.length > 1 && (
        <select
          className="input"
          aria-label={texts.graph}
          value={within ?? ''}
          onChange={({ target }) => open(target.value === '' ? undefined : target.value)}
        >
          {graphs.map(({ name, count }) => (
            <option key={name ?? ''} value={name ?? ''}>
              {texts.graphOf(name ?? changed.config.name, count)}
            </option>
          ))}
        </select>
      )}
      <div className="compared-view">
        <FlowSides
          key={within ?? ''}
          before={before}
          after={after}
          changes={changes}
          selected={selected ?? first}
          select={select}
          openTable={select}
          openSubRule={(name) => graphs.some((one) => one.name === name) && open(name)}
        />
      </div>
    </>
  )
}

/** A draft as text, without positions on the canvas. */
function textOf(draft: DraftRuleset): string {
  if (draft.steps.length === 0) return ''
  const bare = (steps: DraftRuleset['steps']) =>
    steps.map((step) => Object.fromEntries(Object.entries(step).filter(([key]) => key !== 'position')))
  const subRules = Object.fromEntries(
    Object.entries(draft.subRules ?? {}).map(([name, graph]) => [name, { ...graph, steps: bare(graph.steps) }]),
  )
  return `${pretty({ ...draft, steps: bare(draft.steps), ...(draft.subRules !== undefined && { subRules }) })}\n`
}
