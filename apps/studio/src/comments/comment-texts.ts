import { comments as en, type CommentTexts } from '../texts/en/comments.ts'
import { useLanguage } from '../texts/texts.tsx'
import { comments as zh } from '../texts/zh/comments.ts'

const TEXTS = { en, zh } as const

/** The texts of comments in the selected language; pages without comments do not load them. */
export const useCommentTexts = (): CommentTexts => TEXTS[useLanguage().language]
