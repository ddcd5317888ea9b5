import type { Column, DraftGraph, DraftRuleset } from '@engine/authoring'
import { keysOfPointer } from '@engine/expression'
import { Fragment, type ReactNode } from 'react'
import { ConditionText } from '../conditions/words.tsx'
import { ChangeSides } from '../ui/change-sides.tsx'
import { CellText } from './cell-text.tsx'

/** A ruleset, or a single sub-rule. */
export type ChangedDraft = DraftGraph & Pick<DraftRuleset, 'subRules'>

/** Matches pointers to whole branches or rows. */
const PART = /\/(?:branches|rows)\/[^/]+$/

interface ChangedValueProps {
  readonly path: string
  readonly before: unknown
  readonly after: unknown
  /** The draft that contains the part. */
  readonly draft: ChangedDraft | undefined
  readonly absent: string
}

/** A value before and after; cells, branches and rows in words, as in the table. */
export function ChangedValue({ path, before, after, draft, absent }: ChangedValueProps) {
  const show = draft && wordsAt(path, draft)
  return <ChangeSides path={path} before={before} after={after} absent={absent} show={show} />
}

/** A renderer in words for the value at a pointer; undefined if there is none. */
function wordsAt(path: string, draft: ChangedDraft): ((value: unknown) => ReactNode) | undefined {
  if (PART.test(path)) return () => <PartContent path={path} draft={draft} />
  const column = columnAt(path, draft)
  return column && ((cell) => typeof cell === 'string' && <CellText cell={cell} column={column} />)
}

/** The column of a cell in one of the ruleset's own steps. */
function columnAt(path: string, { steps }: ChangedDraft): Column | undefined {
  const [, stepId, list, , part, id] = keysOfPointer(path)
  const step = list === 'rows' && part === 'cells' ? steps.find((one) => one.id === stepId) : undefined
  return step?.type === 'table' ? step.columns.find((one) => one.id === id) : undefined
}

/** The condition of a branch, or the cells of a row. */
export function PartContent({ path, draft }: { readonly path: string; readonly draft: ChangedDraft }) {
  const [first, ...rest] = keysOfPointer(path)
  const [graph, [, stepId, list, id]] =
    first === 'subRules' ? [draft.subRules?.[rest[0] ?? ''], rest.slice(1)] : [draft, [first, ...rest]]
  const step = graph?.steps.find((one) => one.id === stepId)
  if (step?.type === 'decision' && list === 'branches') {
    const branch = step.branches.find((one) => one.id === id)
    return branch === undefined ? null : (
      <p>
        <ConditionText text={branch.condition ?? 'true'} />
      </p>
    )
  }
  if (step?.type !== 'table' || list !== 'rows') return null
  const row = step.rows.find((one) => one.id === id)
  return (
    <dl className="facts">
      {step.columns.map((column) => {
        const cell = row?.cells[column.id] ?? ''
        return cell === '' ? null : (
          <Fragment key={column.id}>
            <dt>{column.label ?? column.field}</dt>
            <dd>
              <CellText cell={cell} column={column} />
            </dd>
          </Fragment>
        )
      })}
    </dl>
  )
}
