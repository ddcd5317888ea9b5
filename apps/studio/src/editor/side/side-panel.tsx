import { type ReactNode, Suspense } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { TabList } from '../../ui/tab-list.tsx'
import { FindingList } from '../findings/lazy-parts.ts'
import { Details } from '../forms/lazy-details.ts'
import { type SideTab, useEditor } from '../state/editor-context.ts'
import { DraftComments, PlaceHistory, RulesetSettings } from './lazy-parts.ts'
import { Problems } from './problem-list.tsx'

const TABS: readonly SideTab[] = ['step', 'findings', 'ruleset', 'comments', 'history']

/**
 * The panel next to the rules: the selected step, the findings, and the settings, comments and history of the ruleset.
 */
export function SidePanel() {
  const { side, showSide } = useEditor()
  const { side: words } = useTexts()
  return (
    <div className="side-panel">
      <TabList
        label={words.label}
        tabs={TABS.map((name) => ({
          name,
          label: name === 'findings' ? <FindingsLabel /> : words.tabs[name],
        }))}
        open={side}
        show={showSide}
      >
        <Suspense fallback={<Skeleton />}>{CONTENT[side]}</Suspense>
      </TabList>
    </div>
  )
}

const CONTENT: Readonly<Record<SideTab, ReactNode>> = {
  step: <StepTab />,
  findings: <FindingsTab />,
  ruleset: <RulesetSettings />,
  comments: <DraftComments />,
  history: <PlaceHistory />,
}

/** The number of problems or, if there are none, of findings. */
function FindingsLabel() {
  const { checks, findings } = useEditor()
  const { side: words, editor, findings: texts } = useTexts()
  const problems = checks.problems.length
  const found = findings.findings.length
  const isWarned = findings.findings.some(({ severity }) => severity !== 'notice')
  const tone = problems > 0 || findings.failure !== undefined ? 'bad' : isWarned ? 'warn' : found > 0 ? undefined : 'ok'
  const spoken = [
    problems === 0 ? editor.noProblems : editor.problems(problems),
    ...(found > 0 ? [texts.count(found)] : []),
    ...(findings.failure === undefined ? [] : [texts.analysisFailed]),
  ]
  return (
    <>
      {words.tabs.findings}
      <span className="tag tnum" data-tone={tone} aria-hidden="true">
        {findings.failure === undefined ? problems + found : '!'}
      </span>
      <span className="vh">{spoken.join(', ')}</span>
    </>
  )
}

function FindingsTab() {
  const { checks, draft, selectPath } = useEditor()
  const { editor } = useTexts()
  const { problems } = checks
  return (
    <div className="details side-list">
      {problems.length > 0 && (
        <section aria-label={editor.problemsWord}>
          <Problems draft={draft} problems={problems} select={selectPath} />
        </section>
      )}
      <FindingList />
    </div>
  )
}

function StepTab() {
  const { graph, selected, table, actions, known, overlays, subRules, undo, redo, place, openSubRule } = useEditor()
  const { side: words } = useTexts()
  const step = table ?? selected
  if (step === undefined) return <p className="details side-list muted">{words.noStep}</p>
  return (
    <Details
      key={step.id}
      draft={graph.draft}
      step={step}
      known={known}
      visit={overlays.visits?.get(step.id)}
      subRules={subRules}
      apply={actions.apply}
      undo={undo}
      redo={redo}
      openTable={() => place({ view: 'table', step: step.id }, true)}
      openSubRule={openSubRule}
      inline={() => void actions.inline(step.id)}
      insert={(exit) => actions.insert(step.id, exit)}
      remove={() => actions.remove([step.id])}
    />
  )
}
