<?php
require __DIR__ . '/../src/Legacy/rules.php';

use Shop\Reports\{Daily, Failure as Broken, Mailer}; // «Daily Failure Mailer»
use Shop\Users\Clerk; // «Clerk»

$mailer = new Mailer(); // «Mailer»
$mailer->mail(Daily::make(), new Daily(), new Daily()); // «Mailer.mail Daily Daily.make»
$clerk = Clerk::nobody(); // «Clerk Clerk.nobody»
$clerk->friend()->hello(); // «Clerk.friend Clerk.hello»
$clerk->rename('z'); // «Person.rename»
throw Broken::because('end'); // «Failure Failure.because»
