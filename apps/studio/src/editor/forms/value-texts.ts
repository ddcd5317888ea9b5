import { useLanguage } from '../../texts/texts.tsx'
import { value as en, type ValueTexts } from '../../texts/en/value.ts'
import { value as zh } from '../../texts/zh/value.ts'

const TEXTS = { en, zh } as const

/** Texts for values of expressions in the selected language, loaded with the fields of a step. */
export const useValueTexts = (): ValueTexts => TEXTS[useLanguage().language]
