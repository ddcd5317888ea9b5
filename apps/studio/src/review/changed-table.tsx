import type { Column, DraftRuleset, DraftStep } from '@engine/authoring'
import { useMemo, useState } from 'react'
import { CommentForm } from '../comments/comment-form.tsx'
import { CommentItem } from '../comments/comment-item.tsx'
import { useCommentTexts } from '../comments/comment-texts.ts'
import { place } from '../problem-text/pointer-text.ts'
import { useNumbers, useTexts } from '../texts/texts.tsx'
import { CodeTag } from '../ui/code-tag.tsx'
import { Icon } from '../ui/icon.tsx'
import { CellText } from '../save-diff/cell-text.tsx'
import { CHANGE } from './change-keys.ts'
import { type ChangedRow, type ChangedTable, foldedRows, type ShownRows } from './changed-tables.ts'
import { type ReleaseComment, useComments } from './comments.ts'
import { FindingItem } from './findings-of-release.tsx'
import type { RulesetAnalysis } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'

/** Number of rows that a click on a collapsed run expands, and of changed rows shown initially. */
const [MORE, MAX_CHANGED] = [100, 200] as const
const SIGNS = { added: '+', removed: '−', changed: '~', moved: '~' } as const

export interface ChangedTableProps {
  readonly ruleset: string
  /** The drafts with their sub-rules, used to name places. */
  readonly drafts: { readonly before: DraftRuleset; readonly after: DraftRuleset }
  readonly table: ChangedTable
  readonly findings: RulesetAnalysis['findings']
  readonly colours: ReadonlyMap<string, string>
  /** How often recorded decisions take a row; undefined if the user may not read them, or none were recorded. */
  readonly seenOf: ((row: ChangedRow) => number) | undefined
}

/** A table with both versions in one: changed cells show both values, unchanged rows are collapsed. */
export function ChangedTableView({ ruleset, drafts, table, findings, colours, seenOf }: ChangedTableProps) {
  const { places } = useTexts()
  const texts = useReviewTexts()
  const [opened, setOpened] = useState<ReadonlyMap<number, number>>(new Map())
  const [limit, setLimit] = useState<number>(MAX_CHANGED)
  const { step, columns, rows } = table
  const shown = useMemo(() => foldedRows(rows, opened), [rows, opened])
  const hasNext =
    step.hitPolicy !== 'collect' &&
    rows.some(({ before, after }) => [before, after].some((side) => side?.row.nextStepId !== undefined))
  const hasNote = rows.some(({ cells }) => cells.has('note'))
  const width = 3 + columns.length + Number(hasNext) + Number(hasNote) + Number(seenOf !== undefined)
  const name = place(table.path, table.at.after === undefined ? drafts.before : drafts.after, places)
  const [own, ofTable] = useMemo(() => findingsOf(table, findings), [table, findings])
  const visible = firstRows(shown, limit)
  return (
    <section className="changed-table" aria-label={name}>
      <h3>{name}</h3>
      <div className="scroll" tabIndex={0} role="group" aria-label={name}>
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span className="vh">{texts.changeHeader}</span>
              </th>
              <th scope="col" className="num">
                {texts.rowHeader}
              </th>
              {columns.map(({ id, label, field = '', unit }) => (
                <th key={id} scope="col">
                  {label === undefined || label === '' ? field : label}
                  {unit !== undefined && <small className="muted"> {unit}</small>}
                </th>
              ))}
              {hasNext && <th scope="col">{texts.resultHeader}</th>}
              {hasNote && <th scope="col">{texts.noteHeader}</th>}
              {seenOf !== undefined && (
                <th scope="col" className="num" title={texts.seenTitle}>
                  {texts.seenHeader}
                </th>
              )}
              <th scope="col">
                <span className="vh">{texts.commentHeader}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {visible.map((one) =>
              one.kind === 'folded' ? (
                <tr key={`folded ${one.first}`} className="folded-rows">
                  <td colSpan={width}>
                    <button
                      type="button"
                      onClick={() => setOpened(new Map([...opened, [one.first, (opened.get(one.first) ?? 0) + MORE]]))}
                    >
                      {texts.unchangedRows(one.count)}
                    </button>
                  </td>
                </tr>
              ) : (
                <RowOfTable
                  key={one.row.path}
                  {...{ ruleset, drafts, table, colours, seenOf, hasNext, hasNote, width }}
                  row={one.row}
                  findings={own.get(one.row.path) ?? []}
                />
              ),
            )}
            {visible.length < shown.length && (
              <tr className="folded-rows">
                <td colSpan={width}>
                  <button type="button" onClick={() => setLimit(limit + MAX_CHANGED)}>
                    {texts.moreRows}
                  </button>
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
      <FindingsHere ruleset={ruleset} findings={ofTable} label={texts.findings} />
    </section>
  )
}

/** The first rows, with the collapsed runs between them. */
function firstRows(shown: readonly ShownRows[], limit: number): readonly ShownRows[] {
  let count = 0
  const cut = shown.findIndex(({ kind }) => kind === 'row' && ++count > limit)
  return cut < 0 ? shown : shown.slice(0, cut)
}

type Finding = RulesetAnalysis['findings'][number]

/** The unacknowledged findings of each changed row, and those of the whole table. */
function findingsOf(
  { at, rows }: ChangedTable,
  findings: readonly Finding[],
): readonly [ofRows: ReadonlyMap<string, readonly Finding[]>, ofTable: readonly Finding[]] {
  const open = findings.filter(({ acknowledged, severity }) => acknowledged === undefined && severity !== 'info')
  const prefix = at.after
  if (prefix === undefined) return [new Map(), []]
  const byPlace = Map.groupBy(open, (finding) => finding.place)
  const ofRows = rows.flatMap(({ path, after, change }) => {
    const found = after === undefined ? undefined : byPlace.get(`${prefix}/rows/${after.number - 1}`)
    return change === undefined || found === undefined ? [] : [[path, found] as const]
  })
  return [new Map(ofRows), byPlace.get(prefix) ?? []]
}

interface RowProps extends Pick<ChangedTableProps, 'ruleset' | 'drafts' | 'table' | 'colours' | 'seenOf'> {
  readonly row: ChangedRow
  readonly findings: readonly Finding[]
  readonly hasNext: boolean
  readonly hasNote: boolean
  /** Number of columns of the table. */
  readonly width: number
}

function RowOfTable({ ruleset, drafts, table, colours, seenOf, row, findings, hasNext, hasNote, width }: RowProps) {
  const { places } = useTexts()
  const texts = useReviewTexts()
  const commentTexts = useCommentTexts()
  const comments = useComments()
  const { number } = useNumbers()
  const [isOpen, setOpen] = useState(false)
  const { path, change, before, after, cells } = row
  const { step, draft, columns } = table
  const whole = after === undefined ? drafts.before : drafts.after
  const label = place(path, whole, places)
  // Comments on a cell are shown below its row, too.
  const own =
    comments?.list.items?.filter(
      (one) => one.ruleset === ruleset && (one.place === path || one.place.startsWith(`${path}/`)),
    ) ?? []
  const side = after ?? before
  const isBoth = before !== undefined && after !== undefined
  const seen = seenOf?.(row)
  const next = (which: typeof before) => (
    <NextStep id={which?.row.nextStepId ?? step.nextStepId} {...{ draft, colours }} />
  )
  return (
    <>
      <tr
        className={change === undefined ? undefined : CHANGE}
        tabIndex={change === undefined ? undefined : -1}
        data-change={change}
      >
        <td className="sign">
          {change !== undefined && (
            <>
              <span aria-hidden="true">{SIGNS[change]}</span>
              <span className="vh">{texts.changes[change]}</span>
            </>
          )}
        </td>
        <td className="num">
          {change === 'moved' && <s>{before?.number}</s>} {side?.number}
          {cells.has('disabled') && (
            <small className="muted"> {side?.row.disabled === true ? texts.switchedOff : texts.switchedOn}</small>
          )}
        </td>
        {columns.map((column) => (
          <td key={column.id} data-changed={cells.has(column.id) ? '' : undefined}>
            <BothSides
              isChanged={isBoth && cells.has(column.id)}
              before={<Cell column={column} cell={before?.row.cells[column.id]} />}
              after={<Cell column={column} cell={side?.row.cells[column.id]} />}
            />
          </td>
        ))}
        {hasNext && (
          <td data-changed={cells.has('next') ? '' : undefined}>
            <BothSides isChanged={isBoth && cells.has('next')} before={next(before)} after={next(side)} />
          </td>
        )}
        {hasNote && (
          <td data-changed={cells.has('note') ? '' : undefined}>
            <BothSides isChanged={isBoth && cells.has('note')} before={before?.row.note} after={side?.row.note} />
          </td>
        )}
        {seenOf !== undefined && (
          <td className="num" data-seen="">
            {seen === undefined ? '' : number(seen)}
          </td>
        )}
        <td className="comment-cell">
          {comments !== undefined && change !== undefined && !isOpen && (
            <button
              type="button"
              className="btn small"
              data-kind="quiet"
              aria-label={commentTexts.commentOn(label)}
              title={commentTexts.comment}
              onClick={() => setOpen(true)}
            >
              <Icon name="comment" size={14} />
            </button>
          )}
        </td>
      </tr>
      {(own.length > 0 || isOpen || findings.length > 0) && (
        <RowDetails
          {...{ ruleset, findings, path, label, width }}
          document={whole}
          comments={own}
          close={isOpen ? () => setOpen(false) : undefined}
        />
      )}
    </>
  )
}

interface DetailsProps extends Pick<RowProps, 'ruleset' | 'findings' | 'width'> {
  readonly path: string
  /** Describes the row. */
  readonly label: string
  readonly document: DraftRuleset
  readonly comments: readonly ReleaseComment[]
  /** Closes the form for a new comment; undefined if it is not open. */
  readonly close: (() => void) | undefined
}

/** The findings and comments of a row. */
function RowDetails({ ruleset, findings, width, path, label, document, comments: own, close }: DetailsProps) {
  const { places } = useTexts()
  const texts = useCommentTexts()
  const comments = useComments()
  return (
    <tr className="row-details">
      <td colSpan={2} />
      <td colSpan={width - 2}>
        <div className="stack">
          <FindingsHere ruleset={ruleset} findings={findings} label={undefined} />
          {comments !== undefined && own.length > 0 && (
            <ul className="comments" aria-label={texts.commentsOn(label)}>
              {own.toReversed().map((comment) => (
                <CommentItem
                  key={comment.id}
                  comment={comment}
                  actions={comments}
                  at={
                    comment.place !== path && (
                      <span className="muted">{place(comment.place, document, places).split(places.comma).at(-1)}</span>
                    )
                  }
                />
              ))}
            </ul>
          )}
          {comments !== undefined && close !== undefined && (
            <CommentForm label={label} add={(text) => comments.add(text, { ruleset, place: path })} close={close} />
          )}
        </div>
      </td>
    </tr>
  )
}

interface FindingsProps extends Pick<RowProps, 'ruleset' | 'findings'> {
  readonly label: string | undefined
}

/** Findings shown at the part that they concern. */
function FindingsHere({ ruleset, findings, label }: FindingsProps) {
  if (findings.length === 0) return null
  return (
    <ul className="claims" aria-label={label}>
      {findings.map((finding) => (
        <FindingItem
          key={`${finding.kind} ${finding.error ?? ''}`}
          ruleset={ruleset}
          at={undefined}
          finding={finding}
        />
      ))}
    </ul>
  )
}

interface BothProps {
  readonly isChanged: boolean
  readonly before: React.ReactNode
  readonly after: React.ReactNode
}

/** A value, or both values if they differ. */
function BothSides({ isChanged, before, after }: BothProps) {
  const texts = useReviewTexts()
  if (!isChanged) return after
  return (
    <>
      <span className="vh">{texts.before}: </span>
      <s>{before}</s> <span className="vh">{texts.after}: </span>
      <b>{after}</b>
    </>
  )
}

function Cell({ column, cell = '' }: { readonly column: Column; readonly cell: string | undefined }) {
  const texts = useReviewTexts()
  if (cell !== '') return <CellText cell={cell} column={column} />
  return column.kind === 'input' ? <span className="muted">{texts.any}</span> : <span className="muted">–</span>
}

/** The step that follows a row; for a result its code. */
function NextStep({
  id,
  draft: { steps },
  colours,
}: Pick<RowProps, 'colours'> & { readonly id: string | undefined; readonly draft: ChangedTable['draft'] }) {
  const step: DraftStep | undefined = steps.find((one) => one.id === id)
  if (step?.type === 'terminal' && step.code !== undefined)
    return <CodeTag name={step.code} colour={colours.get(step.code)} />
  return step?.name ?? id
}
