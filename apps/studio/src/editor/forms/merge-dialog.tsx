import type { DraftRuleset, MergeConflict } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { useState } from 'react'
import { ask } from '../../language/language.ts'
import { place } from '../../problem-text/pointer-text.ts'
import { useTexts, useTime } from '../../texts/texts.tsx'
import { Box } from '../../ui/dialog.tsx'
import { Expression } from '../../ui/expression.tsx'
import { pretty } from '../../ui/json-text.ts'
import type { Clash } from '../state/editing.ts'

/**
 * Resolves a conflict with a save of another author: disjoint changes are merged, and the user decides each conflict.
 */
export function MergeBox({
  clash,
  settle,
  close,
}: {
  readonly clash: Clash
  readonly settle: (draft: DraftRuleset) => void
  readonly close: () => void
}) {
  const { merge } = useTexts()
  const time = useTime()
  const [theirs, setTheirs] = useState<readonly string[]>([])
  const { merged, conflicts } = clash
  const done = async () => settle(await ask('resolve', { draft: merged, conflicts, theirs }))
  return (
    <Box title={merge.title} isWide close={close}>
      <p>{merge.text(clash.seq, time(clash.at))}</p>
      <p className="muted">{conflicts.length === 0 ? merge.joined : merge.conflicts(conflicts.length)}</p>
      <div className="stack" style={{ maxHeight: '50vh', overflow: 'auto' }}>
        {conflicts.map((conflict) => (
          <Conflict
            key={conflict.path}
            draft={merged}
            conflict={conflict}
            isTheirs={theirs.includes(conflict.path)}
            choose={(isTheirs) =>
              setTheirs(isTheirs ? [...theirs, conflict.path] : theirs.filter((path) => path !== conflict.path))
            }
          />
        ))}
      </div>
      <footer>
        <button type="button" className="btn" onClick={close}>
          {merge.later}
        </button>
        <button type="button" className="btn" data-kind="primary" onClick={() => void done()}>
          {merge.accept}
        </button>
      </footer>
    </Box>
  )
}

interface ConflictProps {
  readonly draft: DraftRuleset
  readonly conflict: MergeConflict
  readonly isTheirs: boolean
  readonly choose: (isTheirs: boolean) => void
}

function Conflict({ draft, conflict: { path, base, mine, theirs }, isTheirs, choose }: ConflictProps) {
  const { merge, places } = useTexts()
  return (
    <fieldset className="card" style={{ padding: 12 }}>
      <legend>{place(path, draft, places)}</legend>
      <div className="sides">
        <label className="cap row">
          <input type="radio" checked={!isTheirs} onChange={() => choose(false)} />
          {merge.mine}
        </label>
        <div className="cap">{merge.before}</div>
        <label className="cap row">
          <input type="radio" checked={isTheirs} onChange={() => choose(true)} />
          {merge.theirs}
        </label>
        <Side value={mine} isChanged={!isTheirs} />
        <Side value={base} isChanged={false} />
        <Side value={theirs} isChanged={isTheirs} />
      </div>
    </fieldset>
  )
}

function Side({ value, isChanged }: { readonly value: Value; readonly isChanged: boolean }) {
  const { merge } = useTexts()
  return (
    <div className={isChanged ? 'changed' : undefined}>
      {value === null ? (
        <i>{merge.absent}</i>
      ) : (
        <code>{typeof value === 'string' ? <Expression text={value} /> : pretty(value)}</code>
      )}
    </div>
  )
}
