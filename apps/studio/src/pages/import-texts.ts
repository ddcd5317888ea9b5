import { useLanguage } from '../texts/texts.tsx'
import { imports as en, type ImportTexts } from '../texts/en/imports.ts'
import { imports as zh } from '../texts/zh/imports.ts'

const TEXTS = { en, zh } as const

/** The texts of imports in the chosen language: no other page loads them. */
export const useImportTexts = (): ImportTexts => TEXTS[useLanguage().language]
