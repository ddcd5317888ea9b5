import { chooseNotation, useNotation } from '../ui/notation.ts'
import { useIds, useMay } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useSession } from '../session/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { initials } from '../ui/initials.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { useTitle } from '../ui/page.tsx'
import { SteadyButton } from '../ui/steady-button.tsx'
import type { Checks } from './state/checks.ts'
import type { Editing } from './state/editing.ts'
import { Publish, RequestRelease } from './forms/publish-dialog.tsx'
import type { View } from './state/search.ts'

const VIEWS: readonly (readonly [View, IconName])[] = [
  ['flow', 'branch'],
  ['table', 'table'],
  ['text', 'more'],
]
const TONE = { saved: 'ok', changed: 'warn', saving: 'accent' } as const

interface BarProps {
  readonly name: string
  readonly editing: Editing
  readonly view: View
  /** Other users who have this ruleset open. */
  readonly others: readonly { readonly id: string; readonly name: string }[]
  readonly hasTable: boolean
  readonly show: (view: View) => void
  readonly undo: () => void
  readonly redo: () => void
  readonly execute: () => void
  readonly checks: Checks
  /** Opens or closes the saved tests below the rules. */
  readonly showTests: () => void
  readonly hasTests: boolean
}

/** The name, the save state, the views and the actions of the open ruleset. */
export function Toolbar(props: BarProps) {
  const { name, editing, view, others, hasTable, show, undo, redo, execute, checks, showTests, hasTests } = props
  const { editor, errors, graph } = useTexts()
  const { oid, pid } = useIds()
  const { session, seq, state, error, save } = editing
  const last = useSession(session, lastOf)
  const next = useSession(session, nextOf)
  const mayEdit = useMay('ruleset.edit')
  useTitle(name)
  const reason = mayEdit ? undefined : errors.needs('ruleset.edit')
  return (
    <div className="row bar editor-bar">
      <h1>{name}</h1>
      <Go to={paths.history(oid, pid, name)} className="tag" title={editor.history}>
        {editor.draft(seq)}
      </Go>
      <span className="tag" data-tone={error === undefined ? TONE[state] : 'bad'} role="status">
        {error === undefined ? editor.states[state] : error.message}
      </span>
      <SteadyButton
        className="btn icon"
        data-kind="quiet"
        isOff={!mayEdit || last === undefined}
        title={reason ?? last}
        aria-label={editor.undo(last)}
        onClick={undo}
      >
        <Icon name="undo" />
      </SteadyButton>
      <SteadyButton
        className="btn icon"
        data-kind="quiet"
        isOff={!mayEdit || next === undefined}
        title={reason ?? next}
        aria-label={editor.redo(next)}
        onClick={redo}
      >
        <Icon name="redo" />
      </SteadyButton>
      <div className="seg" role="group" aria-label={editor.view}>
        {VIEWS.map(([one, icon]) =>
          one === 'table' && !hasTable ? null : (
            <button key={one} type="button" aria-current={view === one ? 'true' : undefined} onClick={() => show(one)}>
              <Icon name={icon} size={14} />
              {editor.views[one]}
            </button>
          ),
        )}
      </div>
      <NotationChoice />
      <span className="grow" />
      {others.map((one) => (
        <span key={one.id} className="tag" data-tone="accent" title={graph.here(one.name)}>
          {initials(one.name)}
          <span className="vh">{graph.here(one.name)}</span>
        </span>
      ))}
      <Tests checks={checks} show={showTests} isOpen={hasTests} />
      <button type="button" className="btn" onClick={execute}>
        <Icon name="play" size={13} />
        {editor.run}
      </button>
      <SteadyButton
        className="btn"
        data-kind="primary"
        isOff={!mayEdit || state !== 'changed'}
        title={reason}
        onClick={() => void save()}
      >
        <Icon name="save" size={14} />
        {editor.save}
      </SteadyButton>
      <Publish name={name} seq={seq} isSaved={state === 'saved'} />
      <RequestRelease name={name} isSaved={state === 'saved'} />
    </div>
  )
}

/** Switches between words and code for conditions. */
function NotationChoice() {
  const { conditions } = useTexts()
  const notation = useNotation()
  return (
    <div className="seg notation" role="group" aria-label={conditions.notation}>
      {(['words', 'code'] as const).map((one) => (
        <button key={one} type="button" aria-pressed={notation === one} onClick={() => chooseNotation(one)}>
          {conditions.notations[one]}
        </button>
      ))}
    </div>
  )
}

const lastOf = ({ last }: Editing['session']) => last
const nextOf = ({ next }: Editing['session']) => next

interface TestsProps {
  readonly checks: Checks
  readonly show: () => void
  readonly isOpen: boolean
}

/** The results of the saved cases with the current draft, as a button that opens their list. */
function Tests({ checks: { cases }, show, isOpen }: TestsProps) {
  const { editor, debug } = useTexts()
  const failed = (cases ?? []).filter(({ failures }) => failures.length > 0)
  const count = cases?.length ?? 0
  return (
    <button
      type="button"
      className="btn tests-button"
      data-tone={cases === undefined || count === 0 ? undefined : failed.length === 0 ? 'ok' : 'bad'}
      aria-expanded={isOpen}
      title={failed.map(({ name, failures }) => `${name}: ${failures[0] ?? ''}`).join('\n') || debug.tests}
      onClick={show}
    >
      <Icon name="test" size={14} />
      {cases === undefined || count === 0 ? debug.tests : editor.tests(count - failed.length, count)}
    </button>
  )
}
