import type { InputField } from '@engine/authoring'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { codeColours } from '../../graph-editor/code-colours.ts'
import type { LocalRun } from '../../language/tasks.ts'
import { useTexts } from '../../texts/texts.tsx'
import { CodeTag } from '../../ui/code-tag.tsx'
import { Icon } from '../../ui/icon.tsx'
import { pretty, short } from '../../ui/json-text.ts'
import { useEditor } from '../state/editor-context.ts'
import { InputControl } from './input-form.tsx'
import { useInputFields } from './input-fields.ts'
import { type Input, isPlain } from './input-values.ts'

interface TryLineProps {
  readonly isOpen: boolean
  /** Opens the simulator, or closes it. */
  readonly toggle: () => void
  /** Undefined when the user may not save cases. */
  readonly saveAsTest: (() => void) | undefined
}

/** Debounce delay before a typed input is executed. */
const DEBOUNCE_MS = 150
/** Width of a field, and of everything around the fields, in pixels. */
const [FIELD_WIDTH, REST_WIDTH] = [168, 420]

/** The first input fields in one line, with the result. */
export function TryLine({ isOpen, toggle, saveAsTest }: TryLineProps) {
  const { tryLine: words, simulator } = useTexts()
  const { draft, surroundings, simulation } = useEditor()
  const { input, run, refusal } = simulation
  const line = useRef<HTMLDivElement>(null)
  const width = useWidth(line)
  const fields = useInputFields(draft, surroundings)
  const most = Math.max(1, Math.floor((width - REST_WIDTH) / FIELD_WIDTH))
  const shown = fields.filter(isPlain).slice(0, most)
  const more = fields.length - shown.length
  return (
    <div ref={line} className="row bar try-line">
      <button type="button" className="btn" data-kind="quiet" aria-expanded={isOpen} onClick={toggle}>
        <Icon name="play" size={13} />
        {words.simulate}
      </button>
      {input !== undefined && <TryFields fields={shown} input={input} />}
      {more > 0 && !isOpen && (
        <button
          type="button"
          className="btn icon"
          data-kind="quiet"
          aria-label={words.more(more)}
          title={words.more(more)}
          onClick={toggle}
        >
          +{more}
        </button>
      )}
      <span className="grow" />
      <span className="row try-result" role="status" data-ran={run === undefined ? undefined : ''}>
        {run !== undefined ? (
          <TryResult run={run} />
        ) : refusal !== undefined ? (
          <span className="bad">{words.refused}</span>
        ) : (
          <span className="muted">{words.hint}</span>
        )}
      </span>
      {run !== undefined && saveAsTest !== undefined && !isOpen && (
        <button type="button" className="btn" onClick={saveAsTest}>
          {simulator.saveAsTest}
        </button>
      )}
      {(run !== undefined || refusal !== undefined) && (
        <button
          type="button"
          className="btn icon"
          data-kind="quiet"
          aria-label={words.clear}
          title={words.clear}
          onClick={simulation.clear}
        >
          <Icon name="x" size={14} />
        </button>
      )}
    </div>
  )
}

/** Fields that execute the rules as the author types. */
function TryFields({ fields, input }: { readonly fields: readonly InputField[]; readonly input: Input }) {
  const { simulation } = useEditor()
  const [changed, setChanged] = useState<string>()
  const { write, execute } = simulation
  useEffect(() => {
    if (changed === undefined) return
    const timer = setTimeout(() => {
      setChanged(undefined)
      void execute(changed)
    }, DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [changed, execute])
  return fields.map((field) => (
    <label key={field.name} className="try-field">
      <span title={field.name}>{field.name}</span>
      <InputControl
        field={field}
        input={input}
        change={(next) => {
          const text = pretty(next)
          write(text)
          setChanged(text)
        }}
        onKeyDown={({ key }) => {
          if (key === 'Enter') void execute()
        }}
      />
    </label>
  ))
}

/** The matching row, the code, and the values of the output. */
function TryResult({ run }: { readonly run: LocalRun }) {
  const { places, tryLine: words } = useTexts()
  const { draft, surroundings } = useEditor()
  if (run.code === null) return <span className="bad">{run.error?.message ?? words.refused}</span>
  const colours = codeColours(
    draft.steps,
    surroundings.contract?.outputs.map(({ code }) => code),
  )
  const row = lastRow(run)
  const values = Object.values(run.output !== null && typeof run.output === 'object' ? run.output : {})
  return (
    <>
      <span className="muted tnum">{row === undefined ? words.steps(run.steps.length) : places.row(row + 1)}</span>
      <CodeTag name={run.code} colour={colours.get(run.code)} />
      <b className="tnum" title={run.output === null ? undefined : pretty(run.output)}>
        {values
          .slice(0, 2)
          .map((value) => (typeof value === 'string' ? value : short(value, 24)))
          .join(' · ')}
      </b>
    </>
  )
}

/** Index of the row that the last table took; undefined without a table or a matching row. */
function lastRow({ steps }: LocalRun): number | undefined {
  const taken = steps.flatMap(({ branches = [] }) => branches.filter((branch) => branch.taken)).at(-1)
  const found = /\/rows\/(\d+)$/.exec(taken?.path ?? '')?.[1]
  return found === undefined ? undefined : Number(found)
}

function useWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(900)
  useLayoutEffect(() => {
    if (ref.current === null) return
    const { current } = ref
    const observer = new ResizeObserver(() => setWidth(current.clientWidth))
    observer.observe(current)
    return () => observer.disconnect()
  }, [ref])
  return width
}
