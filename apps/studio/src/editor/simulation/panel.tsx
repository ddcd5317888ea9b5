import { Suspense } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { pretty } from '../../ui/json-text.ts'
import { CoverageGaps } from '../findings/lazy-parts.ts'
import { type PanelTab, useEditor } from '../state/editor-context.ts'
import { CasesView, Simulator } from './lazy-parts.ts'
import type { SimulatorProps } from './simulator.tsx'
import { TryLine } from './try-line.tsx'

interface PanelProps extends SimulatorProps {
  /** Undefined: closed. */
  readonly tab: PanelTab | undefined
  readonly show: (tab: PanelTab | undefined) => void
  readonly isCovering: boolean
  readonly cover: (isCovering: boolean) => void
}

/** The panel below the rules: an input to try and, on request, the full simulator or the results of the saved cases. */
export function Panel(props: PanelProps) {
  const { tab, show } = props
  const { name, checks, cases, execute } = useEditor()
  const { editor, debug } = useTexts()
  return (
    <section className="panel" data-open={tab === undefined ? undefined : ''} aria-label={editor.panel}>
      <TryLine
        isOpen={tab === 'simulate'}
        toggle={() => show(tab === 'simulate' ? undefined : 'simulate')}
        saveAsTest={props.saveAsTest}
      />
      {tab === 'simulate' && (
        <Suspense fallback={<div className="simulator" aria-busy="true" />}>
          <Simulator saveAsTest={props.saveAsTest} link={props.link} />
        </Suspense>
      )}
      {tab === 'tests' && (
        <div className="panel-body" tabIndex={0} role="region" aria-label={debug.tests}>
          <div className="row">
            <h2>{debug.tests}</h2>
            <span className="grow" />
            <button
              type="button"
              className="btn icon"
              data-kind="quiet"
              aria-label={debug.close}
              onClick={() => show(undefined)}
            >
              <Icon name="x" size={14} />
            </button>
          </div>
          <Suspense>
            <CasesView
              name={name}
              checks={checks}
              cases={cases}
              isCovering={props.isCovering}
              cover={props.cover}
              execute={(one) => execute(pretty(one.input), one.stubs ?? {})}
            />
            <CoverageGaps />
          </Suspense>
        </div>
      )}
    </section>
  )
}
