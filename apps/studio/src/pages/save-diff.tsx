import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useGet, useList } from '../api/data.ts'
import { rulesetOf } from '../api/draft-ruleset.ts'
import type { CompareSearch } from '../save-diff/search.ts'
import { stepChanges } from '../save-diff/changes.ts'
import { CompareBar } from '../save-diff/compare-bar.tsx'
import { comparedGraphs, graphIn } from '../save-diff/graphs.ts'
import { FlowSides } from '../save-diff/flow-sides.tsx'
import type { Side } from '../save-diff/side.ts'
import { TableSides, useCompared } from '../save-diff/table-sides.tsx'
import { useIds, useParameter } from '../frame/route-scope.ts'
import '../styles/editor.css'
import '../styles/compare.css'
import { useTexts } from '../texts/texts.tsx'
import { useTitle } from '../ui/page.tsx'
import { Pending } from '../ui/states.tsx'

const RULESET = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}'

/** Two saves of a ruleset side by side, as graphs or as a table. */
export function ComparePage() {
  const { history: texts } = useTexts()
  const name = useParameter('name')
  const search: CompareSearch = useSearch({ strict: false })
  const saves = useList(`${RULESET}/saves`, { path: { ...useIds(), name } })
  const newest = saves.items?.[0]?.seq
  const to = search.to ?? newest
  const from = search.from ?? Math.max(1, (to ?? 1) - 1)
  const [before, after] = [useSide(name, from, texts.before), useSide(name, to, texts.after)]
  useTitle(texts.compareTitle(name))
  if (before.side === undefined || after.side === undefined)
    return (
      <main className="page" id="main" tabIndex={-1}>
        <h1 className="vh">{texts.compareTitle(name)}</h1>
        <Pending of={before.side === undefined ? before.found : after.found} lines={9} />
      </main>
    )
  return <Compared name={name} search={search} saves={saves.items ?? []} before={before.side} after={after.side} />
}

/** One of the saves; `seq` is undefined until the newest number is loaded. */
function useSide(name: string, seq: number | undefined, word: string) {
  const { history: texts } = useTexts()
  const found = useGet(
    `${RULESET}/saves/{seq}`,
    { path: { ...useIds(), name, seq: String(seq) } },
    { enabled: seq !== undefined },
  )
  const { data } = found
  const side = useMemo<Side | undefined>(
    () =>
      data === undefined || seq === undefined
        ? undefined
        : { seq, name: `${word}: ${texts.draft(seq)}`, draft: rulesetOf(data) },
    [data, seq, word, texts],
  )
  return { found, side }
}

interface ComparedProps {
  readonly name: string
  readonly search: CompareSearch
  readonly saves: readonly { readonly seq: number }[]
  readonly before: Side
  readonly after: Side
}

function Compared({ name, search, saves, before: whole, after: changed }: ComparedProps) {
  const { history: texts } = useTexts()
  const navigate = useNavigate()
  const go = (next: CompareSearch) => void navigate({ to: '.', search: { ...search, ...next }, replace: true })
  const graphs = useMemo(() => comparedGraphs(whole.draft, changed.draft), [whole, changed])
  const within = graphs.find((one) => one.name === search.in)?.name
  const before = useMemo(() => ({ ...whole, draft: graphIn(whole.draft, within) }), [whole, within])
  const after = useMemo(() => ({ ...changed, draft: graphIn(changed.draft, within) }), [changed, within])
  const changes = useMemo(() => stepChanges(before.draft, after.draft), [before, after])
  const tables = useMemo(() => tablesOf(before, after, new Set(changes.keys())), [before, after, changes])
  const isTable = search.view === 'table' && tables.length > 0
  const table = tables.find(({ id }) => id === search.step)?.id ?? tables[0]?.id ?? ''
  const compared = useCompared(before.draft, after.draft, table)
  const ids = [...changes.keys()]
  const at = isTable ? Math.min(search.row ?? 1, compared.changed.length) - 1 : ids.indexOf(search.step ?? '')
  const selected = search.step ?? ids[0]
  // The selected step may not exist in the other graph.
  const open = (next: string | undefined) => {
    const { in: _in, step: _step, row: _row, view: _view, ...others } = search
    void navigate({ to: '.', search: next === undefined ? others : { ...others, in: next }, replace: false })
  }
  return (
    <main className="compare" id="main" tabIndex={-1}>
      <CompareBar
        name={name}
        saves={saves}
        before={before}
        after={after}
        isTable={isTable}
        graphs={graphs}
        within={within}
        open={open}
        tables={tables}
        table={table}
        at={at}
        count={isTable ? compared.changed.length : ids.length}
        show={(index) => go(isTable ? { row: index + 1 } : { step: ids[index] ?? '' })}
        go={go}
      />
      <p className="vh" role="status">
        {isTable || selected === undefined ? '' : texts.spokenChange(selected, changes.get(selected))}
      </p>
      {isTable ? (
        <TableSides
          key={`${within ?? ''} ${table}`}
          before={before}
          after={after}
          table={table}
          compared={compared}
          row={compared.changed[at] ?? 0}
        />
      ) : (
        <FlowSides
          key={within ?? ''}
          before={before}
          after={after}
          changes={changes}
          selected={selected}
          select={(step) => go({ step })}
          openSubRule={(id) => graphs.some((one) => one.name === id) && open(id)}
          openTable={(step) => go({ view: 'table', step, row: 1 })}
        />
      )}
    </main>
  )
}

/** The tables of both saves, changed ones first. */
function tablesOf(before: Side, after: Side, changed: ReadonlySet<string>) {
  const all = new Map(
    [...before.draft.steps, ...after.draft.steps].flatMap((step) =>
      step.type === 'table'
        ? [[step.id, { id: step.id, name: step.name ?? step.id, isChanged: changed.has(step.id) }]]
        : [],
    ),
  )
  return [...all.values()].sort((left, right) => Number(right.isChanged) - Number(left.isChanged))
}
