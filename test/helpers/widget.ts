// The widget's script as served to the intranet's pages.
import express from 'express'
import request from 'supertest'
import type { Company } from '../../src/company/company.ts'
import { createIntranetRoutes } from '../../src/web/intranet.ts'
import { languages } from './texts.ts'

export async function widgetOf(company: Company): Promise<string> {
  const { text } = await request(express().use(createIntranetRoutes([], languages, company))).get(
    '/widget.js',
  )
  return text
}
