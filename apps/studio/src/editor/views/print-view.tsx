import type { DraftGraph, DraftRuleset, TableStep } from '@engine/authoring'
import { openGraph, type OpenGraph } from '../../session/open-graph.ts'
import { useTexts } from '../../texts/texts.tsx'
import { pretty } from '../../ui/json-text.ts'
import { usePrinting } from '../../ui/printing.ts'
import type { View } from '../state/search.ts'
import { PrintedMap } from './printed-map.tsx'
import { numbered, PrintedStep, PrintedTable } from './printed-step.tsx'

interface PrintedProps {
  readonly name: string
  readonly seq: number
  readonly view: View
  /** The whole draft, with its sub-rules. */
  readonly draft: DraftRuleset
  readonly graph: OpenGraph
  readonly table: TableStep | undefined
}

/**
 * The open view for print: a flow as a numbered map with each step in words, a table with all its rows, the text in
 * full. It is rendered for printing only, because the screen shows only visible parts.
 */
export function Printed(props: PrintedProps) {
  return usePrinting() ? <Paper {...props} /> : null
}

function Paper({ name, seq, view, draft, graph, table }: PrintedProps) {
  const { editor } = useTexts()
  const { version, description } = draft.config
  return (
    <article className="printed">
      <h1>
        {[name, graph.within].filter((one) => one !== undefined).join(' › ')}{' '}
        <small>{[version, editor.draft(seq)].filter((one) => one !== undefined).join(' · ')}</small>
      </h1>
      {description !== undefined && <p>{description}</p>}
      {view === 'flow' && <PrintedFlow draft={graph.draft} />}
      {view === 'flow' && graph.within === undefined && <SubRules draft={draft} />}
      {view === 'table' && table !== undefined && (
        <>
          <h2>{table.name ?? table.id}</h2>
          <PrintedTable table={table} draft={graph.draft} />
        </>
      )}
      {view === 'text' && <pre>{pretty(draft)}</pre>}
    </article>
  )
}

/** Steps in the order of the map, from left to right. */
function PrintedFlow({ draft }: { readonly draft: DraftRuleset }) {
  const { placed, numbers, steps } = numbered(draft)
  return (
    <>
      <PrintedMap steps={steps} placed={placed} numbers={numbers} />
      <ol>
        {steps.map((step) => (
          <PrintedStep key={step.id} step={step} draft={draft} numbers={numbers} />
        ))}
      </ol>
    </>
  )
}

/** The steps of a ruleset's own sub-rules. */
function SubRules({ draft }: { readonly draft: DraftRuleset }) {
  const { canvas } = useTexts()
  const own: readonly [string, DraftGraph][] = Object.entries(draft.subRules ?? {})
  return own.map(([name]) => (
    <section key={name}>
      <h2>
        {canvas.kinds.sub_rule} {name}
      </h2>
      <PrintedFlow draft={openGraph(draft, name, {}).draft} />
    </section>
  ))
}
