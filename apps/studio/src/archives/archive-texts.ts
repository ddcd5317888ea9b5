import { archives as en, type ArchiveTexts } from '../texts/en/archives.ts'
import { useLanguage } from '../texts/texts.tsx'
import { archives as zh } from '../texts/zh/archives.ts'

const TEXTS = { en, zh } as const

/** The texts of archives in the selected language; only few pages load them. */
export const useArchiveTexts = (): ArchiveTexts => TEXTS[useLanguage().language]
