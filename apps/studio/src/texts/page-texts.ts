import { type PageTexts, pages as en } from './en/pages.ts'
import { useLanguage } from './texts.tsx'
import { pages as zh } from './zh/pages.ts'

const TEXTS = { en, zh } as const

/** The texts of pages outside of the editor in the chosen language: the editor loads none of them. */
export const usePageTexts = (): PageTexts => TEXTS[useLanguage().language]
