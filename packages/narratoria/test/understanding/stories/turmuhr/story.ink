// Eine deutsche Geschichte: Umlaute, trennbare Verben, Artikel in allen Fällen.
VAR fackel = false
VAR schluessel = false
VAR offen = false
VAR frei = false
VAR geoelt = false
VAR gestellt = false

Seit drei Tagen ist es in Niederau zehn nach drei. Der Bäcker backt nicht, denn es ist Nacht; die Braut wartet im Kleid, denn die Trauung ist um elf; und die Schule ist seit Dienstag nicht aus.

Du bist Jule, Lehrling beim Uhrmacher in der Stadt. Der Meister hat Gicht. Also du.
-> turmfuss

== turmfuss
Am Fuß des Turms ist es kühl und dämmrig. An der Wand steckt eine Fackel. Auf der untersten Stufe sitzt ein Mädchen mit einer Schultasche; der Küster lehnt an der Tür zur Treppe, neben der Fußmatte, und gähnt wie um zehn nach drei. # scene
-> wahl
= wahl
* [Zünde die Fackel an # alias: fackel anzünden, mach die fackel an, fackel anmachen, steck die fackel an]
  ~ fackel = true
  Sie brennt sofort. Der Küster hält die Hand vor die Augen. „Um diese Zeit“, sagt er.
  -> wahl
* [Sprich mit dem Küster # alias: rede mit dem küster, mit dem küster sprechen, frag den küster, frag den küster nach der uhr]
  „Mir fehlt nichts“, sagt der Küster. „Um zehn nach drei fehlt keinem was.“ Er schaut auf die Matte, als läge dort etwas, was er nicht gesehen haben will.
  -> wahl
* [Sprich mit dem Mädchen # alias: rede mit dem mädchen, mit dem mädchen sprechen, frag das mädchen]
  „Ich hab meinen Handschuh verloren“, sagt sie. „Oben. Aber ich war gar nicht oben.“
  -> wahl
* [Schau unter die Fußmatte # alias: heb die fußmatte hoch, fußmatte hochheben, sieh unter der matte nach, schau unter die matte]
  ~ schluessel = true
  Ein Schlüssel, so groß, dass die Matte darüber eine Beule hatte. Du nimmst ihn.
  -> wahl
+ { not offen } [Schließ die Tür auf # alias: tür aufschließen, öffne die tür, tür öffnen, mach die tür auf, sperr die tür auf]
  { schluessel:
    ~ offen = true
    Der Küster rückt einen Schritt zur Seite. Der Schlüssel dreht sich, als hätte er darauf gewartet.
  - else:
    Verschlossen. Der Küster betrachtet seine Schuhe.
  }
  -> wahl
+ { offen } [Steig die Treppe hinauf # alias: treppe hinaufsteigen, geh die treppe hoch, geh nach oben, geh hinauf, hinauf, nach oben]
  { fackel:
    -> uhrwerk
  }
  Nach der dritten Stufe siehst du nichts mehr. Du kommst wieder herunter.
  -> wahl
+ [Geh nach Hause # alias: nach hause gehen, heimgehen, geh heim, gib auf, aufgeben]
  Zu Hause ist es zwanzig nach fünf. Du fragst dich, wie lange. # ending: Zwanzig nach fünf
  -> END

== uhrwerk
Die Uhrenkammer. Zahnräder, so hoch wie Wagenräder; zwischen zweien klemmt ein roter Handschuh. An einem Nagel hängt ein Zettel. Eine Kurbel ragt aus dem Gehäuse. Eine Leiter führt weiter hinauf zu den Glocken. # scene
-> wahl
= wahl
* [Zieh den Handschuh heraus # alias: handschuh herausziehen, nimm den handschuh, hol den handschuh heraus, zieh am handschuh]
  ~ frei = true
  Er gibt nach, Finger um Finger. Er ist sehr klein, und innen steht mit Kuli: _Mia, 2b_.
  -> wahl
* [Lies den Zettel # alias: zettel lesen, lies, sieh dir den zettel an, zettel ansehen]
  „_Ölen: jeden Monat. Aufziehen: jede Woche. Nicht stehen bleiben._“ Es ist nicht klar, wer mit dem Letzten gemeint war.
  -> wahl
* [Öle die Zahnräder # alias: zahnräder ölen, schmier die zahnräder, gieß öl auf die zahnräder]
  ~ geoelt = true
  Das Öl geht von Zahn zu Zahn, wie ein Gerücht.
  -> wahl
+ [Zieh die Uhr auf # alias: uhr aufziehen, dreh die kurbel, kurbel drehen, dreh an der kurbel]
  { frei and geoelt:
    Die Kurbel geht schwer, dann leichter, dann von selbst. Tick, sagt der Turm, und erschrickt.
  - else:
    Die Kurbel rührt sich nicht. Irgendwo klemmt es, und trocken ist es auch.
  }
  -> wahl
+ [Steig auf die Leiter # alias: leiter hinaufsteigen, steig die leiter hinauf, geh zu den glocken, geh nach oben, hinauf, klettere hinauf]
  -> glocken
+ [Geh die Treppe hinunter # alias: treppe hinuntergehen, steig die treppe hinunter, geh nach unten, geh hinunter, hinunter, nach unten, geh zurück]
  -> turmfuss

== glocken
Die Glockenstube. Zwei Glocken, eine große und eine kleine; ein Fensterladen, geschlossen; eine Dohle, die dich ansieht, als hättest du geklopft haben sollen. Von hier reicht man an die Zeiger. # scene
-> wahl
= wahl
* [Mach den Fensterladen auf # alias: fensterladen aufmachen, öffne den fensterladen, fensterladen öffnen]
  Licht, und ganz Niederau: lauter geschlossene Läden, hinter denen keiner schläft.
  -> wahl
* [Füttere die Dohle # alias: dohle füttern, gib der dohle etwas zu fressen, gib der dohle brot]
  Du findest einen Krümel in der Tasche. Sie nimmt ihn und legt ihn auf die kleine Glocke, zu den anderen.
  -> wahl
* [Stell die Zeiger vor # alias: zeiger vorstellen, stell die uhr, uhr stellen, stell die zeiger richtig]
  ~ gestellt = true
  Du schiebst den großen Zeiger herum, und noch einmal, drei Tage lang.
  -> wahl
+ [Läute die große Glocke # alias: große glocke läuten, schlag die große glocke]
  { frei and geoelt and gestellt:
    Es schlägt elf. Unten gehen Läden auf, einer nach dem anderen. Eine Schultür. Ein Brautkleid, das rennt. # ending: Elf Uhr
    -> END
  }
  Es dröhnt bis in die Zähne. Unten dreht sich Niederau auf die andere Seite.
  -> wahl
+ [Läute die kleine Glocke # alias: kleine glocke läuten, schlag die kleine glocke]
  Ein heller, verlegener Ton. Die Dohle sieht weg.
  -> wahl
+ [Steig die Leiter hinunter # alias: leiter hinuntersteigen, geh nach unten, geh hinunter, hinunter, nach unten, geh zurück, klettere hinunter]
  -> uhrwerk
