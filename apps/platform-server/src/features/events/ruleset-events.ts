import { stringifyJson } from '@engine/expression'
import { invalidParameter } from '@engine/http-api'
import { changesTopic } from '../../database/audit.ts'
import type { Scope } from '../../database/scope.ts'
import type { EventSource, StreamedEvent } from '../../http/event-stream.ts'
import type { DraftRow } from '../drafts/repository.ts'
import { presentIn } from './presence.ts'

/** Saves that are told at once. */
const MAX_SAVES = 200

/**
 * What happens to one ruleset: each save, with its number as the id of the event, and who is present, first at once and then
 * as it changes. A draft that was renamed keeps its stream.
 *
 * @param after the save that the client knows; undefined: the present one
 */
export function rulesetEvents(scope: Scope, draft: DraftRow, after: string | undefined): EventSource {
  let seq = after === undefined ? draft.seq : seqOf(after)
  let present: string | undefined
  return {
    topics: [changesTopic(draft.project_id)],
    async next() {
      const saves = await savesAfter(scope, draft.id, seq)
      const events: StreamedEvent[] = saves.map((save) => ({ id: save.seq, type: 'draft_saved', data: shown(save) }))
      seq = saves.at(-1)?.seq ?? seq
      const presence = (await presentIn(scope, draft.project_id, draft.id)).get(draft.id)
      const data = presence ?? { ruleset: saves.at(-1)?.name ?? draft.name, present: [] }
      const text = stringifyJson(data.present)
      if (text !== present) events.push({ type: 'presence', data })
      present = text
      return { events }
    },
  }
}

function savesAfter(scope: Scope, draft: string, seq: number) {
  return scope
    .read('draft_saves')
    .selectFrom('draft_saves')
    .select(['name', 'seq', 'saved_at', 'saved_by'])
    .where('draft_id', '=', draft)
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(MAX_SAVES)
    .execute()
}

type Save = Awaited<ReturnType<typeof savesAfter>>[number]

const shown = ({ name, seq, saved_at, saved_by }: Save) => ({
  ruleset: name,
  seq,
  updated_at: saved_at.toISOString(),
  updated_by: saved_by,
})

/** Throws 400. */
function seqOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw invalidParameter('last_event_id', 'must be the id of an event of this stream')
}
