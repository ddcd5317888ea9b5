import { Canvas } from '../graph-editor/canvas.tsx'
import type { StepChange } from '../graph-editor/node.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Side } from './side.ts'

interface FlowSidesProps {
  readonly before: Side
  readonly after: Side
  readonly changes: ReadonlyMap<string, StepChange>
  readonly selected: string | undefined
  readonly select: (id: string) => void
  readonly openTable: (id: string) => void
  readonly openSubRule: (name: string) => void
}

const NO_COUNTS: ReadonlyMap<string, number> = new Map()
const NO_NAMES: ReadonlyMap<string, string> = new Map()
const NO_MARKS: ReadonlySet<string> = new Set()
const nothing = () => undefined

/** Two saves as graphs; selecting a step in one scrolls it into view in the other. */
export function FlowSides({ before, after, changes, selected, select, openTable, openSubRule }: FlowSidesProps) {
  const { history: texts } = useTexts()
  return (
    <div className="compare-sides">
      {[before, after].map(({ name, draft }, index) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          <div className="stage">
            <Canvas
              label={texts.flowOf(name)}
              scope={index === 0 ? 'before-' : 'after-'}
              draft={draft}
              changes={changes}
              selected={selected}
              select={select}
              open={(id) => {
                const step = draft.steps.find((one) => one.id === id)
                if (step?.type === 'table') openTable(id)
                else if (step?.type === 'sub_rule' && step.refName !== undefined) openSubRule(step.refName)
              }}
              isReadOnly
              marked={NO_MARKS}
              visits={undefined}
              coverage={undefined}
              problems={NO_COUNTS}
              present={NO_NAMES}
              mark={nothing}
              move={nothing}
              connect={nothing}
              insert={nothing}
              insertOn={nothing}
              askConnection={nothing}
              remove={nothing}
              tidy={nothing}
              rename={nothing}
              duplicate={nothing}
              copy={() => ''}
              paste={nothing}
              extract={undefined}
            />
          </div>
        </section>
      ))}
    </div>
  )
}
