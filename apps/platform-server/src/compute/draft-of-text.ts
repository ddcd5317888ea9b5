import type { DraftRuleset } from '@engine/authoring'
import { jsonValue } from '@engine/expression'

/** A draft from its JSON text, which the platform itself has written from a decoded draft: it is not decoded again. */
export const draftOfText = (text: string): DraftRuleset => jsonValue(text) as unknown as DraftRuleset
