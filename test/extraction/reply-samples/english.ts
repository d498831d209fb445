// Replies in English, a client each.
import type { ReplySample } from "./sample.ts";

export const english: ReplySample[] = [
  {
    name: "Gmail",
    text: "Yes, Tuesday works.\n\nOn Mon, Jan 1, 2024 at 10:00 AM Ann Lee <ann@example.com> wrote:\n\n> Does Tuesday work?\n>\n> Ann\n",
    expected: "Yes, Tuesday works.",
  },
  {
    name: "Gmail, attribution wrapped",
    text: "Sounds good!\r\n\r\nOn Mon, Jan 1, 2024 at 10:00 AM Annabelle Featherstonehaugh <\r\nannabelle@example.com> wrote:\r\n\r\n> Lunch?\r\n",
    expected: "Sounds good!",
  },
  {
    name: "Gmail, attribution wrapped before wrote",
    text: "OK\n\nOn Wed, Feb 14, 2024 at 9:15 PM Ann Lee <ann.with.a.long.name@mail.example.com>\nwrote:\n\n> q\n",
    expected: "OK",
  },
  {
    name: "Gmail, wrapped over three lines",
    text: "OK\n\nOn Wed, Feb 14, 2024 at 9:15 PM\nAnn Lee <ann.with.a.long.name@mail.example.com>\nwrote:\n\n> q\n",
    expected: "OK",
  },
  {
    name: "Gmail, bottom posting",
    text: "On Mon, Jan 1, 2024 at 10:00 AM Ann <ann@example.com> wrote:\n> Does Tuesday work?\n\nIt does.\n",
    expected: "It does.",
  },
  {
    name: "plain, inline replies",
    text: "Ann wrote:\n> First?\n\nYes.\n\n> Second?\n\nNo.\n\n> Third?\n> Fourth?\nMaybe.\n",
    expected: "Yes.\n\nNo.\n\nMaybe.",
  },
  {
    name: "Outlook desktop",
    text: "Please see attached.\r\n\r\nBob\r\n\r\nFrom: Ann Lee <ann@example.com>\r\nSent: Monday, January 1, 2024 10:00 AM\r\nTo: Bob <bob@example.com>\r\nCc: Carl\r\nSubject: RE: Invoice\r\n\r\nWhere is it?\r\n",
    expected: "Please see attached.\n\nBob",
  },
  {
    name: "Outlook, old",
    text: "Will do.\n\n-----Original Message-----\nFrom: Ann\nSent: Monday\nTo: Bob\nSubject: x\n\nCan you?\n",
    expected: "Will do.",
  },
  {
    name: "Outlook on the web",
    text: "Will do.\n\n________________________________\nFrom: Ann Lee <ann@example.com>\nSent: Monday, January 1, 2024 10:00\nTo: Bob <bob@example.com>\nSubject: Re: x\n\nCan you?\n",
    expected: "Will do.",
  },
  {
    name: "Outlook mobile",
    text: "Fine by me.\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n________________________________\nFrom: Ann <ann@example.com>\nSent: Monday, January 1, 2024 10:00:00 AM\nTo: Bob <bob@example.com>\nSubject: x\n\nOld text\n",
    expected: "Fine by me.",
  },
  {
    name: "Outlook, bold labels",
    text: "Fine.\n\n*From:* Ann Lee <ann@example.com>\n*Sent:* Monday\n*To:* Bob\n*Subject:* x\n\nOld\n",
    expected: "Fine.",
  },
  {
    name: "Apple Mail",
    text: "Great.\n\n> On Jan 1, 2024, at 10:00 AM, Ann Lee <ann@example.com> wrote:\n> \n> Shall we?\n",
    expected: "Great.",
  },
  {
    name: "iPhone",
    text: "On my way\n\nSent from my iPhone\n\n> On Jan 1, 2024, at 10:00, Ann <ann@example.com> wrote:\n> \n> ﻿Where are you?\n",
    expected: "On my way",
  },
  {
    name: "Thunderbird",
    text: "On 1/1/24 10:00, Ann Lee wrote:\n> Is it done?\n\nIt is.\n\n-- \nBob\nhttps://example.com\n",
    expected: "It is.",
  },
  {
    name: "Yahoo",
    text: " Yes please.\n    On Monday, January 1, 2024 at 10:00:00 AM GMT+1, Ann Lee <ann@example.com> wrote:  \n \n Shall I send it?\n\nAnn\n",
    expected: "Yes please.",
  },
  {
    name: "Proton",
    text: "Confirmed.\n\nSent with Proton Mail secure email.\n\nOn Monday, January 1st, 2024 at 10:00 AM, Ann <ann@example.com> wrote:\n\n> Confirm?\n",
    expected: "Confirmed.",
  },
  {
    name: "Proton, old",
    text: "Confirmed.\n\n‐‐‐‐‐‐‐ Original Message ‐‐‐‐‐‐‐\nOn Monday, January 1st, 2024 at 10:00 AM, Ann <ann@example.com> wrote:\n\n> Confirm?\n",
    expected: "Confirmed.",
  },
  {
    name: "Samsung",
    text: "Ok\n\nSent from my Galaxy\n\n\n-------- Original message --------\nFrom: Ann <ann@example.com>\nDate: 1/1/24 10:00 (GMT+01:00)\nTo: Bob <bob@example.com>\nSubject: x\n\nold\n",
    expected: "Ok",
  },
  {
    name: "Notes",
    text: 'Done.\n\n-----"Ann Lee" <ann@example.com> wrote: -----\nTo: Bob/Org@ORG\nFrom: "Ann Lee"\nDate: 01/01/2024 10:00AM\nSubject: x\n\nold\n',
    expected: "Done.",
  },
  {
    name: "Notes, wrote on",
    text: "Done.\n\nAnn Lee/Org wrote on 01/01/2024 10:00:00 AM:\n\n> From: Ann\n> old\n",
    expected: "Done.",
  },
  {
    name: "Zoho",
    text: "Agreed.\n\n\n\n---- On Mon, 01 Jan 2024 10:00:00 +0100 Ann <ann@example.com> wrote ----\n\nold text\n",
    expected: "Agreed.",
  },
  {
    name: "signature only, no quote",
    text: "Hello there.\n\nSecond paragraph.\n\n-- \nBob\nACME\n",
    expected: "Hello there.\n\nSecond paragraph.",
  },
  {
    name: "Gmail, forward with a comment",
    text: "FYI\n\n---------- Forwarded message ---------\nFrom: Ann <ann@example.com>\nDate: Mon, Jan 1, 2024 at 10:00 AM\nSubject: x\nTo: <bob@example.com>\n\nBody\n",
    expected:
      "FYI\n\n---------- Forwarded message ---------\nFrom: Ann <ann@example.com>\nDate: Mon, Jan 1, 2024 at 10:00 AM\nSubject: x\nTo: <bob@example.com>\n\nBody",
  },
  {
    name: "forward alone stays whole",
    text: "---------- Forwarded message ---------\nFrom: Ann <ann@example.com>\nDate: Mon, Jan 1, 2024\nSubject: x\nTo: bob\n\nThe code is 1234.",
    expected:
      "---------- Forwarded message ---------\nFrom: Ann <ann@example.com>\nDate: Mon, Jan 1, 2024\nSubject: x\nTo: bob\n\nThe code is 1234.",
  },
  { name: "quote alone stays whole", text: "> only this\n", expected: "> only this" },
  {
    name: "an answer between the attribution and the quote",
    text: "On Mon, Jan 1, 2024 at 10:00 AM Ann <ann@example.com> wrote:\n\nMine.\n\n> Old\n",
    expected: "Mine.",
  },
  {
    name: "Outlook, an empty line after every header line",
    text: "Fine.\n\nFrom: Ann\n\nSent: Monday\n\nTo: Bob\n\nSubject: x\n\nOld\n",
    expected: "Fine.",
  },
  {
    name: "prose with a verb and a colon",
    text: "Hello.\n\nThis is what Ann wrote:\n\nI like it.\n",
    expected: "Hello.\n\nThis is what Ann wrote:\n\nI like it.",
  },
  {
    name: "prose that looks like an attribution",
    text: "On Monday I met Ann.\nThis is what she wrote:\n\nI like it.\n\nDear: all\nFrom: here on, nothing.\n",
    expected: "On Monday I met Ann.\nThis is what she wrote:\n\nI like it.\n\nDear: all\nFrom: here on, nothing.",
  },
  {
    name: "a mail that is no reply",
    text: "Your code is 123456.\n\nIt expires at 10:00.\n",
    expected: "Your code is 123456.\n\nIt expires at 10:00.",
  },
  {
    name: "the sender's report of what a server said, above a quote",
    text: "On 4 June 2026 at 8:15 the printer said:\n\npaper jam\n\nI removed it.\n\n> Does it print?\n",
    expected: "On 4 June 2026 at 8:15 the printer said:\n\npaper jam\n\nI removed it.",
  },
];
