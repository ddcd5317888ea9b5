import { isObject } from '@engine/expression'
import { useState } from 'react'
import { useIds, useMay } from '../frame/route-scope.ts'
import { ask } from '../language/language.ts'
import type { ReplayedOutcome, WhyNot } from '../language/tasks.ts'
import { paths } from '../paths.ts'
import { expectationOf } from '../saved-tests/expectation.ts'
import { addTest } from '../saved-tests/saved-test.ts'
import { useTexts } from '../texts/texts.tsx'
import { CodeTag } from '../ui/code-tag.tsx'
import { FormBox } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { pretty, short } from '../ui/json-text.ts'
import { Go, useGo } from '../ui/link.tsx'
import { useClock } from './clock.ts'
import { type Decision, pathsOf, valueAt } from './decision-fields.ts'
import { FieldValue } from './field-value.tsx'
import { useDecisionTexts } from './decision-texts.ts'
import { useContents, useDecidedAgain, useSurroundings } from './deciding-content.ts'
import { PathOfDecision } from './path-of-decision.tsx'

interface DrawerProps {
  readonly ruleset: string
  readonly decision: Decision
  /** The result of the replay; undefined without one. */
  readonly outcome: ReplayedOutcome | undefined
  /** Describes the replayed version. */
  readonly candidate: string
  readonly colours: ReadonlyMap<string, string>
  readonly place: string
  readonly previous: (() => void) | undefined
  readonly next: (() => void) | undefined
  readonly close: () => void
}

/** Maximum length of an input in a URL: longer ones are truncated in transit. */
const MAX_LINKED = 1500

/** One recorded decision: its input, both results, its path, and actions. */
export function DecisionDrawer(props: DrawerProps) {
  const { ruleset, decision, outcome, candidate, colours } = props
  const texts = useDecisionTexts()
  const { oid, pid } = useIds()
  const contents = useContents(ruleset)
  const { run, draft, isUnknown } = useDecidedAgain(ruleset, decision)
  const [isSaving, setSaving] = useState(false)
  const [isSaved, setSaved] = useState(false)
  const version = contents.get(decision.digest)?.version ?? texts.unknownVersion
  return (
    <aside className="card drawer" aria-label={texts.drawer}>
      <DrawerHeader {...props} />
      <div className="body stack">
        <dl className="facts">
          {pathsOf(decision.input).map((path) => [
            <dt key={`${path} name`}>{path}</dt>,
            <dd key={path}>
              <FieldValue value={valueAt(decision.input, path)} />
            </dd>,
          ])}
        </dl>
        <div className="outcomes">
          <Outcome title={texts.decided(version)} code={decision.code} output={decision.output} colours={colours} />
          {outcome !== undefined && (
            <Outcome
              title={candidate}
              code={outcome.code}
              output={outcome.output ?? {}}
              colours={colours}
              isCandidate
            />
          )}
        </div>
        <h3>{texts.how}</h3>
        {isUnknown && <p className="muted">{texts.noContent}</p>}
        {run !== undefined && draft !== undefined && (
          <>
            {run.code !== decision.code && <p className="note">{texts.otherResult}</p>}
            <PathOfDecision run={run} draft={draft} />
          </>
        )}
        <DrawerActions ruleset={ruleset} decision={decision} save={() => setSaving(true)} />
        {isSaved && (
          <p className="note" data-tone="ok" role="status">
            {texts.testSaved}
          </p>
        )}
        <WhyNotCode ruleset={ruleset} decision={decision} codes={[...colours.keys()]} />
      </div>
      {isSaving && (
        <FormBox
          title={texts.saveAsTest}
          close={() => setSaving(false)}
          fields={[{ name: 'name', label: texts.testName }]}
          initial={{ name: `${decision.code} ${new Date(decision.at).toISOString().slice(0, 19)}` }}
          submit={texts.saveAsTest}
          send={async ({ name }) => {
            const { code, output, input } = decision
            const expect = expectationOf({ code, message: null, output }, new Set(['code', 'output']))
            await addTest({ oid, pid, name: ruleset }, { name, input: isObject(input) ? input : {}, expect })
            setSaving(false)
            setSaved(true)
          }}
        />
      )}
    </aside>
  )
}

function DrawerHeader({ decision, place, previous, next, close }: DrawerProps) {
  const texts = useDecisionTexts()
  const clock = useClock()
  return (
    <header>
      <h2 className="tnum">{clock(decision.at)}</h2>
      <span className="grow" />
      <span className="muted tnum">{place}</span>
      <button
        type="button"
        className="btn icon"
        data-kind="quiet"
        aria-label={texts.previous}
        disabled={previous === undefined}
        onClick={previous}
      >
        <Icon name="up" size={14} />
      </button>
      <button
        type="button"
        className="btn icon"
        data-kind="quiet"
        aria-label={texts.next}
        disabled={next === undefined}
        onClick={next}
      >
        <Icon name="down" size={14} />
      </button>
      <button type="button" className="btn icon" data-kind="quiet" aria-label={texts.close} onClick={close}>
        <Icon name="x" size={14} />
      </button>
    </header>
  )
}

interface ActionsProps extends Pick<DrawerProps, 'ruleset' | 'decision'> {
  readonly save: () => void
}

function DrawerActions({ ruleset, decision, save }: ActionsProps) {
  const texts = useDecisionTexts()
  const { errors } = useTexts()
  const { oid, pid } = useIds()
  const go = useGo()
  const mayEdit = useMay('ruleset.edit')
  const linked = pretty(decision.input).replaceAll(/\n\s*/g, '')
  const isLinkable = linked.length <= MAX_LINKED
  return (
    <div className="row wrap">
      <button
        type="button"
        className="btn"
        disabled={!isLinkable}
        title={isLinkable ? undefined : texts.tooLong}
        onClick={() => go(paths.ruleset(oid, pid, ruleset), { search: { run: linked } })}
      >
        <Icon name="play" size={14} />
        {texts.simulate}
      </button>
      <button
        type="button"
        className="btn"
        disabled={!mayEdit}
        title={mayEdit ? undefined : errors.needs('ruleset.edit')}
        onClick={save}
      >
        <Icon name="test" size={14} />
        {texts.saveAsTest}
      </button>
      <Go className="btn" to={paths.decision(oid, pid, ruleset, decision.id)}>
        <Icon name="print" size={14} />
        {texts.record}
      </Go>
    </div>
  )
}

function Outcome({
  title,
  code,
  output,
  colours,
  isCandidate = false,
}: {
  readonly title: string
  readonly code: string | null
  readonly output: Decision['output']
  readonly colours: ReadonlyMap<string, string>
  readonly isCandidate?: boolean
}) {
  const texts = useDecisionTexts()
  return (
    <div className="outcome" data-candidate={isCandidate ? '' : undefined}>
      <small>{title}</small>
      <CodeTag name={code ?? texts.fails} colour={colours.get(code ?? '')} isError={code === null} />
      {pathsOf(output).map((path) => (
        <span key={path} className="tnum">
          <span className="muted">{path}</span>{' '}
          <b>
            <FieldValue value={valueAt(output, path)} />
          </b>
        </span>
      ))}
    </div>
  )
}

/** The smallest change of the input that leads to another result. */
function WhyNotCode({
  ruleset,
  decision,
  codes,
}: {
  readonly ruleset: string
  readonly decision: Decision
  readonly codes: readonly string[]
}) {
  const texts = useDecisionTexts()
  const { draft } = useDecidedAgain(ruleset, decision)
  const surroundings = useSurroundings(draft, ruleset)
  const [asked, setAsked] = useState<{ readonly id: string; readonly code: string; readonly found?: WhyNot }>()
  const shown = asked?.id === decision.id ? asked : undefined
  const { input, id } = decision
  const choose = (code: string) => {
    if (code === '' || draft === undefined || surroundings === undefined || !isObject(input)) return setAsked(undefined)
    setAsked({ id, code })
    ask('whyNot', { draft, ...surroundings, input, code }).then(
      (found) => setAsked({ id, code, found }),
      () => setAsked({ id, code, found: { verdict: 'unknown', changes: [] } }),
    )
  }
  const others = codes.filter((code) => code !== decision.code)
  if (draft === undefined || others.length === 0) return null
  return (
    <div className="stack">
      <label className="row">
        <Icon name="gap" size={14} />
        <span className="label">{texts.whyNot}</span>
        <select className="input" value={shown?.code ?? ''} onChange={({ target }) => choose(target.value)}>
          <option value="">{texts.whyNotResult}</option>
          {others.map((code) => (
            <option key={code}>{code}</option>
          ))}
        </select>
      </label>
      <div role="status">
        {shown !== undefined &&
          (shown.found === undefined ? (
            <p className="muted">{texts.searching}</p>
          ) : shown.found.verdict === 'found' ? (
            <div className="note" data-tone="candidate">
              <div>
                {texts.smallest(shown.code)}
                <ul>
                  {shown.found.changes.map(({ path, from, to, remove }) => (
                    <li key={path}>
                      {remove === true ? texts.omitted(path, short(from)) : texts.becomes(path, short(from), short(to))}
                    </li>
                  ))}
                </ul>
              </div>
            </div>
          ) : (
            <p>
              {shown.found.verdict === 'impossible' ? texts.impossible(shown.code) : texts.unknownAnswer(shown.code)}
            </p>
          ))}
      </div>
    </div>
  )
}
