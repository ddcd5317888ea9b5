import { factRename as en, type FactRenameTexts } from '../texts/en/fact-rename.ts'
import { useLanguage } from '../texts/texts.tsx'
import { factRename as zh } from '../texts/zh/fact-rename.ts'

const TEXTS = { en, zh } as const

/** Texts for renaming a fact in the selected language; no other page loads them. */
export const useFactRenameTexts = (): FactRenameTexts => TEXTS[useLanguage().language]
