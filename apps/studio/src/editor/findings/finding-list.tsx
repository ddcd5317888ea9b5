import type { IntendedFinding } from '@engine/authoring'
import { type ReactNode, useState } from 'react'
import { Author } from '../../frame/author.tsx'
import type { DraftFinding } from '../../language/tasks.ts'
import { place } from '../../problem-text/pointer-text.ts'
import { useAgo } from '../../texts/ago.ts'
import { useTexts } from '../../texts/texts.tsx'
import { FormBox } from '../../ui/form.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { pretty } from '../../ui/json-text.ts'
import { useEditor } from '../state/editor-context.ts'
import {
  isSameFinding,
  rowToPass,
  tableAt,
  withIntended,
  withoutIntended,
  withoutRow,
  withRowBefore,
  withRowFor,
} from './finding-edits.ts'
import { findingText, inputText } from './finding-words.ts'

/** Maximum number of listed findings: further ones can wait until the first are resolved. */
const MAX_SHOWN = 100

/** The findings of the analysis, each with its position, an example and quick fixes. */
export function FindingList() {
  const { findings: words } = useTexts()
  const { findings: state, draft, session, editing } = useEditor()
  const { findings, remarks, open, isPending, hidden, failure } = state
  const [isListing, list] = useState(false)
  const [isRemarking, remark] = useState(false)
  const intended = draft.config.intended ?? []
  return (
    <section className="findings" aria-label={words.title} aria-busy={isPending}>
      {failure !== undefined && <p role="alert">{words.failed(failure)}</p>}
      {failure === undefined && findings.length === 0 && (open === 0 || isPending) && (
        <p className="muted">{isPending ? words.pending : words.none}</p>
      )}
      <ul>
        {findings.slice(0, MAX_SHOWN).map((finding) => (
          <Finding key={`${finding.kind} ${finding.path} ${finding.error ?? ''}`} finding={finding} />
        ))}
      </ul>
      {(open > 0 || hidden > 0 || remarks.length > 0) && (
        <p className="row wrap muted">
          {open > 0 && words.open(open)}
          {remarks.length > 0 && (
            <Unfold isOpen={isRemarking} open={remark}>
              {words.remarks(remarks.length)}
            </Unfold>
          )}
          {hidden > 0 && (
            <Unfold isOpen={isListing} open={list}>
              {words.marked(hidden)}
            </Unfold>
          )}
        </p>
      )}
      {isRemarking && (
        <ul>
          {remarks.slice(0, MAX_SHOWN).map((finding) => (
            <Finding key={`${finding.kind} ${finding.path} ${finding.error ?? ''}`} finding={finding} />
          ))}
        </ul>
      )}
      {isListing && (
        <ul>
          {intended.map((one, index) => (
            <Marked
              key={`${one.finding} ${one.place}`}
              title={words.kinds[one.finding]}
              one={editing.acknowledged.find((known) => isSameFinding(known, one)) ?? one}
              unmark={session && (() => session.apply(words.unmark, (old) => withoutIntended(old, index)))}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

function Unfold({
  isOpen,
  open,
  children,
}: {
  readonly isOpen: boolean
  readonly open: (isOpen: boolean) => void
  readonly children: ReactNode
}) {
  return (
    <button type="button" className="btn" data-kind="quiet" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
      {children}
    </button>
  )
}

interface MarkedProps {
  readonly title: string
  readonly one: IntendedFinding
  /** Undefined: read-only. */
  readonly unmark: (() => void) | undefined
}

function Marked({ title, one: { place: at, reason, author, at: time }, unmark }: MarkedProps) {
  const { findings: words, places } = useTexts()
  const { draft } = useEditor()
  const ago = useAgo()
  return (
    <li className="finding" data-severity="notice">
      <b>
        {place(at, draft, places)}: {title}
      </b>
      <span>{reason}</span>
      <span className="muted">
        {author === undefined || time === undefined ? (
          words.markedUnsaved
        ) : (
          <>
            <Author id={author} />, <time dateTime={time}>{ago(time)}</time>
          </>
        )}
      </span>
      {unmark !== undefined && (
        <span className="row">
          <button type="button" className="btn" onClick={unmark}>
            {words.unmark}
          </button>
        </span>
      )}
    </li>
  )
}

const ICONS: Readonly<Partial<Record<DraftFinding['kind'], IconName>>> = {
  shadowed: 'hidden',
  dead_branch: 'hidden',
  unreachable_step: 'hidden',
  unreachable_code: 'hidden',
  gap: 'gap',
  overlap: 'layers',
}

function Finding({ finding }: { readonly finding: DraftFinding }) {
  const { findings: words, places } = useTexts()
  const { draft, session, selectPath, execute, saveAsTest } = useEditor()
  const [isMarking, mark] = useState(false)
  const { kind, path, severity, input, stubs = {} } = finding
  const at = tableAt(draft, path)
  const pass = rowToPass(draft, finding)
  const act = (label: string, change: Parameters<Exclude<typeof session, undefined>['apply']>[1]) => () =>
    session?.apply(label, change)
  return (
    <li className="finding" data-severity={severity}>
      <button type="button" className="finding-title" onClick={() => selectPath(path)}>
        <Icon name={ICONS[kind] ?? 'alert'} size={15} />
        <b>
          {place(path, draft, places)}: {words.kinds[kind]}
        </b>
      </button>
      <span>{findingText(finding, draft, words)}</span>
      {input !== undefined && <span className="muted">{words.example(inputText(input))}</span>}
      <span className="row wrap">
        {session !== undefined && kind === 'gap' && at !== undefined && input !== undefined && (
          <Act icon="plus" run={act(words.addRow, (old) => withRowFor(old, at.step.id, input))}>
            {words.addRow}
          </Act>
        )}
        {session !== undefined && pass !== undefined && (
          <Act
            icon="up"
            run={act(words.moveUp(pass.before + 1), (old) => withRowBefore(old, pass.step.id, pass.row, pass.before))}
          >
            {words.moveUp(pass.before + 1)}
          </Act>
        )}
        {input !== undefined && (
          <Act icon="play" run={() => execute(pretty(input), stubs)}>
            {words.run}
          </Act>
        )}
        {session !== undefined && input !== undefined && (
          <Act icon="test" run={() => saveAsTest(pretty(input), stubs)}>
            {words.asTest}
          </Act>
        )}
        {session !== undefined && at?.row !== undefined && (kind === 'shadowed' || kind === 'dead_branch') && (
          <Act run={act(words.remove, (old) => withoutRow(old, at.step.id, at.row ?? -1))}>{words.remove}</Act>
        )}
        {session !== undefined && <Act run={() => mark(true)}>{words.intended}</Act>}
      </span>
      {isMarking && session !== undefined && (
        <FormBox
          title={words.intendedTitle}
          close={() => mark(false)}
          fields={[{ name: 'reason', label: words.reason }]}
          submit={words.mark}
          send={async ({ reason }) => {
            session.apply(words.mark, (old) => withIntended(old, finding, reason))
            mark(false)
          }}
        >
          <p className="muted">{words.intendedText}</p>
        </FormBox>
      )}
    </li>
  )
}

function Act({
  icon,
  run,
  children,
}: {
  readonly icon?: IconName
  readonly run: () => void
  readonly children: ReactNode
}) {
  return (
    <button type="button" className="btn" data-kind={icon === undefined ? 'quiet' : undefined} onClick={run}>
      {icon !== undefined && <Icon name={icon} size={13} />}
      {children}
    </button>
  )
}
