import { type PageTexts, pages as en } from './en/pages.ts'
import { useLanguage } from './texts.tsx'
import { pages as zh } from './zh/pages.ts'

const TEXTS = { en, zh } as const

/** The texts of pages outside the editor in the selected language; the editor does not load them. */
export const usePageTexts = (): PageTexts => TEXTS[useLanguage().language]
