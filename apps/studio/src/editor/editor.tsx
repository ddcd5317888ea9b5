import type { DraftRuleset, DraftStep, Exit } from '@engine/authoring'
import { connect } from '@engine/authoring'
import { lazy, Suspense, useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { call } from '../api/client.ts'
import { keyOf, queryClient } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import type { Known } from '../expression-editor/complete.ts'
import { type Command, offer } from '../frame/commands.ts'
import { useIds, useMay } from '../frame/place.ts'
import { Canvas } from '../graph-editor/canvas.tsx'
import { placedAt } from '../graph-editor/positions.ts'
import { ask } from '../language/language.ts'
import { useSession } from '../session/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { Skeleton } from '../ui/states.tsx'
import { FormBox, textOf } from '../ui/form.tsx'
import { Bar, type View } from './bar.tsx'
import { useChecks } from './checks.ts'
import { useEditing } from './editing.ts'
import { variablesOf, withInserted, withNewStep, withoutStep, withStep } from './edits.ts'
import { Left } from './left.tsx'
import { MergeBox } from './merge-box.tsx'
import { Outline } from './outline.tsx'
import { Panel, type PanelTab } from './panel.tsx'
import { useEditorKeys } from './editor-keys.ts'
import { useSimulation } from './simulation.ts'
import { useCases, useSurroundings } from './surroundings.ts'
import { TableView } from './table-view.tsx'

const Details = lazy(() => import('./details.tsx').then(({ Details: component }) => ({ default: component })))
const TextView = lazy(() => import('./text-view.tsx').then(({ TextView: component }) => ({ default: component })))

export interface EditorSearch {
  readonly view?: View
  readonly step?: string
}

interface EditorProps {
  readonly draft: components['schemas']['Draft']
  readonly search: EditorSearch
  /** Selecting replaces the entry of the history; another view is an entry of its own. */
  readonly go: (search: EditorSearch, isNew: boolean) => void
}

/** A ruleset in its three views: one session, one history, one simulation. */
export function Editor({ draft: stored, search, go }: EditorProps) {
  const { editor } = useTexts()
  const ids = useIds()
  const mayEdit = useMay('ruleset.edit')
  const editing = useEditing(stored, { merge: editor.merged, restore: editor.restored })
  const { session } = editing
  const draft = useSession(session, docOf)
  const shown = useDeferredValue(draft)
  const { surroundings, fields } = useSurroundings(draft.config.contract ?? draft.config.name)
  const cases = useCases(stored.name)
  const checks = useChecks(draft, surroundings, cases)
  const current = useCallback(() => session.doc, [session])
  const simulation = useSimulation(draft, current, surroundings, cases)
  const functions = useFunctions()
  const [panel, setPanel] = useState<PanelTab>()
  const [isSavingCase, setSavingCase] = useState(false)
  const view = search.view ?? 'flow'
  const selected =
    draft.steps.find(({ id }) => id === search.step) ??
    draft.steps.find(({ id }) => id === draft.startStepId) ??
    draft.steps[0]
  const selectedId = selected?.id
  const select = useCallback(
    (step: string) => go({ view: view === 'table' ? 'table' : 'flow', step }, false),
    [go, view],
  )
  const apply = useMemo(() => (mayEdit ? session.apply.bind(session) : undefined), [mayEdit, session])
  const undo = useCallback(() => mayEdit && session.undo(), [mayEdit, session])
  const redo = useCallback(() => mayEdit && session.redo(), [mayEdit, session])
  const execute = useCallback(() => {
    setPanel('simulate')
    void simulation.execute()
  }, [simulation])
  const known = useMemo<Known>(() => ({ fields, functions, variables: variablesOf(draft) }), [fields, functions, draft])
  const problems = useMemo(() => countProblems(checks.problems), [checks.problems])
  const make = (
    label: string,
    change: (old: DraftRuleset) => { readonly draft: DraftRuleset; readonly id: string },
  ) => {
    const { draft: changed, id } = change(session.doc)
    apply?.(label, () => changed)
    go({ view: 'flow', step: id }, false)
  }
  const insert = (from: string, exit: Exit) =>
    make(editor.insertHere, (old) => withInserted(old, from, exit, 'decision', editor.newStep))
  const remove = (id: string) => apply?.(editor.removeStep, (old) => withoutStep(old, id))
  const table = view === 'table' ? tableOf(draft, selected) : undefined
  useEditorKeys({ save: editing.save, undo, redo, execute, mayEdit })
  useSteps(draft, select, execute)
  return (
    <main className="editor" id="main" tabIndex={-1}>
      <Bar
        name={stored.name}
        editing={editing}
        view={view}
        hasTable={draft.steps.some(({ type }) => type === 'table')}
        show={(next) =>
          go({ view: next, ...(next === 'table' ? stepOf(tableOf(draft, selected)) : stepOf(selected)) }, true)
        }
        undo={undo}
        redo={redo}
        execute={execute}
        checks={checks}
        showProblems={() => setPanel('problems')}
      />
      {editing.left !== undefined && <Left work={editing.left} restore={editing.restore} discard={editing.discard} />}
      <div className="work" data-view={view}>
        <Outline
          draft={draft}
          selected={table?.id ?? selectedId}
          visits={simulation.visits}
          problems={problems}
          select={select}
          add={apply && ((type) => make(editor.addStep, (old) => withNewStep(old, type, editor.newStep)))}
        />
        <div className="stage">
          {view === 'flow' && (
            <Canvas
              draft={shown}
              selected={selectedId}
              visits={simulation.visits}
              problems={problems}
              isReadOnly={!mayEdit}
              select={select}
              open={(id) =>
                draft.steps.find((step) => step.id === id)?.type === 'table'
                  ? go({ view: 'table', step: id }, true)
                  : focusDetails(id, select)
              }
              move={(id, at) => apply?.(editor.move, (old) => moved(old, id, at), `move ${id}`)}
              connect={(id, exit, target) => apply?.(editor.connect, (old) => connect(old, { step: id, exit }, target))}
              remove={remove}
              insert={(id) =>
                insert(id, {
                  kind: draft.steps.find((step) => step.id === id)?.type === 'decision' ? 'default' : 'next',
                })
              }
            />
          )}
          {table !== undefined && (
            <TableView
              key={table.id}
              draft={draft}
              step={table}
              problems={checks.problems}
              visit={simulation.visits?.get(table.id)}
              apply={apply}
              showFlow={() => go({ view: 'flow', step: table.id }, true)}
            />
          )}
          {view === 'text' && (
            <Suspense fallback={<Skeleton />}>
              <TextView draft={draft} apply={apply} />
            </Suspense>
          )}
        </div>
        {view === 'flow' && selected !== undefined && (
          <Suspense fallback={<aside className="details" aria-busy="true" />}>
            <Details
              key={selected.id}
              draft={draft}
              step={selected}
              known={known}
              visit={simulation.visits?.get(selected.id)}
              subRules={Object.keys({ ...surroundings.subRules, ...draft.subRules })}
              apply={apply}
              undo={undo}
              redo={redo}
              openTable={() => go({ view: 'table', step: selected.id }, true)}
              insert={(exit) => insert(selected.id, exit)}
              remove={() => remove(selected.id)}
            />
          </Suspense>
        )}
        <Panel
          tab={panel}
          show={setPanel}
          checks={checks}
          simulation={simulation}
          draft={draft}
          cases={cases}
          select={select}
          saveAsTest={mayEdit ? () => setSavingCase(true) : undefined}
        />
      </div>
      {editing.clash !== undefined && (
        <MergeBox clash={editing.clash} settle={editing.settle} close={editing.postpone} />
      )}
      {isSavingCase && (
        <FormBox
          title={editor.saveCase}
          close={() => setSavingCase(false)}
          fields={[{ name: 'name', label: editor.caseName }]}
          submit={editor.saveCase}
          send={async (values) => {
            const path = { ...ids, name: stored.name }
            const expect =
              simulation.run?.code === null
                ? { error: simulation.run.error?.message ?? '' }
                : { code: simulation.run?.code ?? '' }
            await call('post', '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests', {
              path,
              body: { name: textOf(values, 'name'), input: { ...simulation.input }, expect },
            })
            await queryClient.invalidateQueries({
              queryKey: keyOf('/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests'),
            })
            setSavingCase(false)
          }}
        />
      )}
    </main>
  )
}

const docOf = ({ doc }: { readonly doc: DraftRuleset }) => doc

const stepOf = (step: DraftStep | undefined) => (step === undefined ? {} : { step: step.id })

/** The selected table, else the first one. */
function tableOf({ steps }: DraftRuleset, selected: DraftStep | undefined) {
  if (selected?.type === 'table') return selected
  return steps.find((step) => step.type === 'table')
}

function moved(draft: DraftRuleset, id: string, at: { readonly x: number; readonly y: number }): DraftRuleset {
  const step = draft.steps.find((one) => one.id === id)
  return step === undefined ? draft : withStep(draft, placedAt(step, at))
}

function focusDetails(id: string, select: (id: string) => void): void {
  select(id)
  requestAnimationFrame(() => document.querySelector<HTMLElement>('.details .cm-content, .details input')?.focus())
}

function countProblems(problems: ReturnType<typeof useChecks>['problems']): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { step_id: id } of problems) if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

function useFunctions(): Known['functions'] {
  const [functions, setFunctions] = useState<Known['functions']>([])
  useEffect(() => {
    void ask('functions', undefined).then(setFunctions, () => undefined)
  }, [])
  return functions
}

/** The palette finds the steps of the open ruleset. */
function useSteps({ steps }: DraftRuleset, select: (id: string) => void, execute: () => void): void {
  const { canvas, editor, frame } = useTexts()
  useEffect(
    () =>
      offer([
        ...steps.map(({ id, name, type }): Command => ({
          id: `step ${id}`,
          label: name ?? id,
          kind: canvas.kinds[type],
          icon: type,
          run: () => select(id),
        })),
        { id: 'run', label: editor.run, kind: frame.command, icon: 'play', run: execute },
      ]),
    [steps, select, execute, canvas, editor, frame],
  )
}
