import { useIds } from '../frame/route-scope.ts'
import type { CompareSearch } from './search.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { Go } from '../ui/link.tsx'
import type { ComparedGraph } from './graphs.ts'
import type { Side } from './side.ts'

interface CompareBarProps {
  readonly name: string
  readonly saves: readonly { readonly seq: number }[]
  readonly before: Side
  readonly after: Side
  /** The ruleset and its sub-rules. */
  readonly graphs: readonly ComparedGraph[]
  /** The open sub-rule. */
  readonly within: string | undefined
  readonly open: (name: string | undefined) => void
  readonly isTable: boolean
  readonly tables: readonly { readonly id: string; readonly name: string; readonly isChanged: boolean }[]
  readonly table: string
  /** Index of the displayed difference; -1 for none. */
  readonly at: number
  readonly count: number
  readonly show: (index: number) => void
  readonly go: (search: CompareSearch) => void
}

/** The compared saves, the view, and the navigation between differences. */
export function CompareBar(props: CompareBarProps) {
  const { name, saves, before, after, isTable, tables, table, go } = props
  const { history: texts, editor } = useTexts()
  const { oid, pid } = useIds()
  return (
    <div className="row bar">
      <h1>{texts.compareTitle(name)}</h1>
      <Go to={paths.history(oid, pid, name)}>{texts.backToHistory}</Go>
      <Choice label={texts.before} seq={before.seq} saves={saves} choose={(from) => go({ from, row: 1 })} />
      <Choice label={texts.after} seq={after.seq} saves={saves} choose={(to) => go({ to, row: 1 })} />
      <Graphs {...props} />
      {tables.length > 0 && (
        <div className="seg" role="group" aria-label={editor.view}>
          <button type="button" aria-current={isTable ? undefined : 'true'} onClick={() => go({ view: 'flow' })}>
            {editor.views.flow}
          </button>
          <button
            type="button"
            aria-current={isTable ? 'true' : undefined}
            onClick={() => go({ view: 'table', row: 1 })}
          >
            {editor.views.table}
          </button>
        </div>
      )}
      {isTable && (
        <select
          className="input"
          aria-label={editor.views.table}
          value={table}
          onChange={({ target }) => go({ step: target.value, row: 1 })}
        >
          {tables.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </select>
      )}
      <span className="grow" />
      <Differences {...props} />
    </div>
  )
}

/** A select box for the compared graph if there are sub-rules. */
function Graphs({ name, graphs, within, open }: CompareBarProps) {
  const { history: texts } = useTexts()
  if (graphs.length === 1) return null
  return (
    <select
      className="input"
      aria-label={texts.graph}
      value={within ?? ''}
      onChange={({ target }) => open(target.value === '' ? undefined : target.value)}
    >
      {graphs.map((one) => (
        <option key={one.name ?? ''} value={one.name ?? ''}>
          {texts.graphOf(one.name ?? name, one.count)}
        </option>
      ))}
    </select>
  )
}

function Differences({ at, count, show }: CompareBarProps) {
  const { history: texts } = useTexts()
  return (
    <div className="row" role="group" aria-label={texts.differences}>
      <span className="tnum muted">{count === 0 ? texts.same : texts.differenceOf(at + 1, count)}</span>
      <button type="button" className="btn" disabled={at <= 0} onClick={() => show(at - 1)}>
        {texts.previous}
      </button>
      <button type="button" className="btn" disabled={at >= count - 1} onClick={() => show(at + 1)}>
        {texts.next}
      </button>
    </div>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly seq: number
  readonly saves: readonly { readonly seq: number }[]
  readonly choose: (seq: number) => void
}

function Choice({ label, seq, saves, choose }: ChoiceProps) {
  const { history: texts } = useTexts()
  const all = saves.some((save) => save.seq === seq) ? saves : [...saves, { seq }]
  return (
    <label className="row">
      <span className="muted">{label}</span>
      <select className="input" value={seq} onChange={({ target }) => choose(Number(target.value))}>
        {all.map((save) => (
          <option key={save.seq} value={save.seq}>
            {texts.draft(save.seq)}
          </option>
        ))}
      </select>
    </label>
  )
}
