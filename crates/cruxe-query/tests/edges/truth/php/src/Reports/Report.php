<?php
namespace Shop\Reports;

interface Report { const KIND = 'report'; public function render(): string; }

interface Stored { public function send(): void; }

interface Both extends Report, Stored {} // «Report Stored»
