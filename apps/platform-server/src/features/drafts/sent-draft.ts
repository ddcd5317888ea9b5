import { decodeDraft, type DraftRuleset } from '@engine/authoring'
import { jsonValue, type Value } from '@engine/expression'
import { jsonText } from '@engine/process'
import { type DraftSummary, LargeDraft } from '../../compute/large-draft.ts'
import { namesUsed } from '../../compute/referenced-names.ts'
import type { SentSubject } from '../../compute/tasks.ts'
import { invalidDocument } from '../../resources/invalid-document.ts'

/** A draft that was sent, read and not stored yet: as values, or a large one as text. */
export interface SentDraft extends DraftSummary {
  /** As a thread gets it. */
  readonly subject: { readonly draft: DraftRuleset } | { readonly draftText: string }
  /** As it is stored. */
  readonly text: () => string | Promise<string>
}

/** The draft of a body's member `ruleset`. Throws 400 with each place whose shape is wrong. */
export function sentDraft(ruleset: unknown): SentDraft {
  if (!(ruleset instanceof LargeDraft)) return smallDraft(draftIn(ruleset))
  const { read, problems } = ruleset
  if (read === undefined) throw invalidDocument(problems, '/ruleset')
  const { text, config, uses } = read
  return { config, uses, subject: { draftText: text }, text: () => text }
}

/** A draft that is in memory already. */
export function smallDraft(draft: DraftRuleset): SentDraft {
  return {
    config: draft.config,
    uses: namesUsed(draft),
    subject: { draft },
    text: () => jsonText(draft),
  }
}

/** Characters of a stored draft beyond which it stays text. */
const LARGE_DRAFT = 128 * 1024

/** A draft that is stored. */
export function storedDraft(text: string, summary: DraftSummary): SentDraft {
  const isLarge = text.length > LARGE_DRAFT
  // Written by `appendSave` alone, which takes a decoded draft.
  const subject = isLarge ? { draftText: text } : { draft: jsonValue(text) as unknown as DraftRuleset }
  return { ...summary, subject, text: () => text }
}

/** The draft of a body that holds no large one. Throws 400. */
function draftIn(ruleset: unknown): DraftRuleset {
  const { draft, problems } = decodeDraft(ruleset as Value)
  if (draft === undefined) throw invalidDocument(problems, '/ruleset')
  return draft
}

/** A sent draft with everything that it refers to. */
export const sentSubject = (
  { subject }: SentDraft,
  references: Omit<SentSubject, 'draft' | 'draftText'>,
): SentSubject => ({
  ...references,
  ...subject,
})
