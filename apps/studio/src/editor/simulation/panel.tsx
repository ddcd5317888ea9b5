import { type ReactNode, Suspense } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { pretty } from '../../ui/json-text.ts'
import { useEditor, type PanelTab } from '../state/editor-context.ts'
import { CasesView } from './lazy-parts.ts'
import { CoverageGaps, FindingList } from '../findings/lazy-parts.ts'
import { Problems } from './problem-list.tsx'
import { Simulator, type SimulatorProps } from './simulator.tsx'

interface PanelProps extends SimulatorProps {
  /** Undefined: closed. */
  readonly tab: PanelTab | undefined
  readonly show: (tab: PanelTab | undefined) => void
  readonly isCovering: boolean
  readonly cover: (isCovering: boolean) => void
}

/** Below the rules: their execution for an input, their problems, and the results of the saved cases. */
export function Panel(props: PanelProps) {
  const { tab } = props
  const { name, draft, checks, findings, simulation, cases, selectPath, execute } = useEditor()
  const { editor, debug, findings: words } = useTexts()
  const found = findings.findings.filter(({ severity }) => severity !== 'notice').length
  const { problems } = checks
  const { failure } = findings
  const { run } = simulation
  return (
    <section className="panel" data-open={tab === undefined ? undefined : ''} aria-label={editor.panel}>
      <div className="row bar">
        <Tab open={tab} show={props.show} of="simulate">
          <Icon name="play" size={13} />
          {editor.simulate}
        </Tab>
        <Tab open={tab} show={props.show} of="problems">
          <span className="tag" data-tone={problems.length === 0 ? 'ok' : 'bad'}>
            {problems.length === 0 ? editor.noProblems : editor.problems(problems.length)}
          </span>
          {found > 0 && (
            <span className="tag" data-tone="warn">
              {words.count(found)}
            </span>
          )}
          {failure !== undefined && (
            <span className="tag" data-tone="bad">
              {words.analysisFailed}
            </span>
          )}
        </Tab>
        <Tab open={tab} show={props.show} of="tests">
          <Icon name="test" size={13} />
          {debug.tests}
        </Tab>
        <span className="grow" />
        {run !== undefined && (
          <>
            <span className="muted">{editor.result}</span>
            <code className="result">{run.code ?? run.error?.message}</code>
            <button type="button" className="btn" data-kind="quiet" onClick={simulation.clear}>
              {editor.clear}
            </button>
          </>
        )}
      </div>
      {tab === 'simulate' && <Simulator saveAsTest={props.saveAsTest} link={props.link} />}
      {tab === 'problems' && (
        <div className="panel-body" tabIndex={0} role="region" aria-label={editor.problemsWord}>
          {problems.length > 0 && <Problems draft={draft} problems={problems} select={selectPath} />}
          <Suspense>
            <FindingList />
          </Suspense>
        </div>
      )}
      {tab === 'tests' && (
        <div className="panel-body" tabIndex={0} role="region" aria-label={debug.tests}>
          <Suspense>
            <CasesView
              name={name}
              checks={checks}
              cases={cases}
              isCovering={props.isCovering}
              cover={props.cover}
              execute={(one) => execute(pretty(one.input))}
            />
            <CoverageGaps />
          </Suspense>
        </div>
      )}
    </section>
  )
}

/** Opens a part of the panel, or closes it. */
function Tab({
  of,
  open,
  show,
  children,
}: Pick<PanelProps, 'show'> & {
  readonly of: PanelTab
  readonly open: PanelTab | undefined
  readonly children: ReactNode
}) {
  const isOpen = open === of
  return (
    <button
      type="button"
      className="btn"
      data-kind="quiet"
      aria-expanded={isOpen}
      onClick={() => show(isOpen ? undefined : of)}
    >
      {children}
    </button>
  )
}
