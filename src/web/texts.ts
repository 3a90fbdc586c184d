// The language of the pages. Another one is a folder beside texts/en/ whose texts.ts has this type, and its name here.
import { en } from './texts/en/texts.ts'

export type Texts = typeof en

export const texts: Texts = en
